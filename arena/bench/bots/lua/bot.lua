-- Answers ask number N with option N modulo their count.
for line in io.lines() do
  local number, tail = line:match("^ask (%d+) .- : (.*)")
  if number then
    local options = {}
    for word in tail:gmatch("%S+") do options[#options + 1] = word end
    print(number .. " " .. options[number % #options + 1])
    io.flush()
  end
end
