import type { Command } from 'commander'

/** The exit codes of all commands. */
export const exitCodes = { success: 0, failure: 1, usage: 2 } as const

const commonMeanings: Readonly<Record<number, string>> = {
  [exitCodes.success]: 'success',
  [exitCodes.failure]: 'failure; the message on stderr says why',
  [exitCodes.usage]: 'unknown command, option, or value',
}

const ownMeanings = new WeakMap<Command, Readonly<Record<number, string>>>()

/** Describes exit codes that a command adds, or that have a special meaning for it. The help shows them. */
export const describeExitCodes = (command: Command, meanings: Readonly<Record<number, string>>): void =>
  void ownMeanings.set(command, meanings)

/** Returns the section of the help that lists the exit codes of a command. */
export const exitCodeHelp = (command: Command): string => {
  const meanings = Object.entries({ ...commonMeanings, ...ownMeanings.get(command) })
  return ['', 'Exit codes:', ...meanings.map(([code, meaning]) => `  ${code}  ${meaning}`)].join('\n')
}
