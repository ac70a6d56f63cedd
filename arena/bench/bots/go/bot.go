// Answers ask number N with option N modulo their count.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		head, tail, _ := strings.Cut(lines.Text(), " : ")
		words, options := strings.Fields(head), strings.Fields(tail)
		if words[0] == "ask" {
			number, _ := strconv.Atoi(words[1])
			fmt.Println(number, options[number%len(options)])
		}
	}
}
