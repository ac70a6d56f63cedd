// Answers ask number N with option N modulo their count.
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (!line.startsWith("ask ")) return;
  const [head, tail] = line.split(" : ");
  const number = Number(head.split(" ")[1]);
  const options = tail.split(" ");
  console.log(`${number} ${options[number % options.length]}`);
});
