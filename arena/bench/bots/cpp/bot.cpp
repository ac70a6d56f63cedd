// Answers ask number N with option N modulo their count.

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main()
{
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.compare(0, 4, "ask ") != 0)
            continue;
        std::istringstream words(line.substr(line.find(" : ") + 3));
        std::vector<std::string> options;
        for (std::string word; words >> word;)
            options.push_back(word);
        long number = std::stol(line.substr(4));
        std::cout << number << ' ' << options[number % options.size()] << std::endl;
    }
}
