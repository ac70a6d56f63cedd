# Answers ask number N with option N modulo their count.
$stdout.sync = true
while (line = $stdin.gets)
  next unless line.start_with?("ask ")
  head, tail = line.split(" : ")
  number, options = head.split[1].to_i, tail.split
  puts "#{number} #{options[number % options.size]}"
end
