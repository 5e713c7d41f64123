/** The flags and the description of the option of commands that print a result: `command.option(...jsonOption)`. */
export const jsonOption = ['--json', 'print the result as JSON'] as const

/** Prints the result of a command: as one line of JSON, or as text for people. */
export const printResult = (isJson: boolean | undefined, result: object, text: string): void =>
  void process.stdout.write(isJson ? `${JSON.stringify(result)}\n` : text)
