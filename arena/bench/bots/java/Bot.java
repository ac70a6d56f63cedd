// Answers ask number N with option N modulo their count.

import java.io.*;

public class Bot {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            if (!line.startsWith("ask ")) continue;
            int number = Integer.parseInt(line.split(" ", 3)[1]);
            String[] options = line.substring(line.indexOf(" : ") + 3).split(" ");
            System.out.println(number + " " + options[number % options.length]);
            System.out.flush();
        }
    }
}
