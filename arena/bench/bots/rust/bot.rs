// Answers ask number N with option N modulo their count.

use std::io::{stdin, stdout, BufRead, Write};

fn main() {
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        if !line.starts_with("ask ") {
            continue;
        }
        let (head, tail) = line.split_once(" : ").unwrap();
        let number: usize = head.split(' ').nth(1).unwrap().parse().unwrap();
        let options: Vec<&str> = tail.split(' ').collect();
        let mut out = stdout().lock();
        writeln!(out, "{} {}", number, options[number % options.len()]).unwrap();
        out.flush().unwrap();
    }
}
