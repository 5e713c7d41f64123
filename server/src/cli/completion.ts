import { Argument, type Command } from 'commander'
import { type CompletableCommand, completionScripts, type Shell, shells } from './completion-scripts.ts'

/** Lists the commands of the program, with what can follow each of them on the command line. */
export const listCompletions = (program: Command): CompletableCommand[] => {
  const help = program.createHelp()
  const commandNames = program.commands.map((command) => command.name())
  return help.visibleCommands(program).map((command) => ({
    name: command.name(),
    summary: command.summary() || command.description(),
    options: help
      .visibleOptions(command)
      .flatMap(({ long, description, required }) => (long ? [{ name: long, description, hasValue: required }] : [])),
    values:
      command.name() === 'help'
        ? commandNames
        : command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }))
}

/** `patchbay completion`: prints a script that completes commands and options in a shell. */
export const configure = (command: Command): void => {
  command
    .description('Print a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(shells))
    .addHelpText(
      'after',
      [
        '',
        'Examples:',
        '  bash  source <(patchbay completion bash)',
        '  zsh   source <(patchbay completion zsh)',
        '  fish  patchbay completion fish | source',
      ].join('\n'),
    )
    .action((shell: Shell) => {
      process.stdout.write(completionScripts[shell](command.parent ? listCompletions(command.parent) : []))
    })
}
