import type { Command } from 'commander'

/** The exports of the module of a command. */
export interface CommandModule {
  /**
   * Declares the options, the arguments, the description, and the action of a command. The action prints its result to
   * stdout, and throws a FatalError for exit code 1. Modules of the server are imported by the action or by the module;
   * both load only when the command is used.
   */
  configure: (command: Command) => void
}
