import { Command, CommanderError } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { buildInfo } from '../lib/build-info.ts'
import { runCli } from '../lib/cli.ts'
import { getErrorCode } from '../lib/error-code.ts'
import type { CommandModule } from './command-module.ts'
import { exitCodeHelp, exitCodes } from './exit-codes.ts'

/** The command line: `patchbay COMMAND`. Each command is a module of this folder and an entry of `commands`. */

interface CommandEntry {
  name: string
  /** Shown in the list of commands. It begins with a verb and has no period. */
  summary: string
  load: () => Promise<CommandModule>
}

/** All commands, in the order of the help. Their modules load only if the command line names them. */
export const commands: readonly CommandEntry[] = [
  { name: 'start', summary: 'start the server', load: () => import('./start.ts') },
  { name: 'demo', summary: 'fill a new database with demo data', load: () => import('./demo.ts') },
  { name: 'migrate', summary: 'change the schema of the database', load: () => import('./migrate.ts') },
  {
    name: 'call-data',
    summary: 'copy call data to ClickHouse, or delete that of an account',
    load: () => import('./call-data.ts'),
  },
  { name: 'backup', summary: 'write a backup of the running installation', load: () => import('./backup.ts') },
  { name: 'restore', summary: 'restore a backup into an empty database', load: () => import('./restore.ts') },
  {
    name: 'check-config',
    summary: 'check the settings, and what can be reached with them',
    load: () => import('./check-config.ts'),
  },
  {
    name: 'reset-password',
    summary: 'give an administrator a new random password',
    load: () => import('./reset-password.ts'),
  },
  { name: 'version', summary: 'print the version', load: () => import('./version.ts') },
]

const commandNames: readonly string[] = commands.map(({ name }) => name)

const createCommand = async ({ name, summary, load }: CommandEntry, isWanted: boolean): Promise<Command> => {
  const command = new Command(name).summary(summary).helpOption('-h, --help', 'show this help').exitOverride()
  if (!isWanted) return command
  const { configure } = await load()
  configure(command)
  return command.addHelpText('after', exitCodeHelp(command))
}

/**
 * Creates the program with all commands.
 * @param names the commands whose options are needed; all by default
 */
export const createProgram = async (names: readonly string[] = commandNames): Promise<Command> => {
  const program = new Command('patchbay')
    .description(`${packageJson.description}. Without a command, Patchbay starts the server.`)
    .version(buildInfo.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('Run it with --help to see what it accepts.')
    .exitOverride()
  for (const entry of commands)
    program.addCommand((await createCommand(entry, names.includes(entry.name))).copyInheritedSettings(program))
  return program
}

/** Ends the process without a stack trace if the reader of the output ends first, as in `patchbay --help | head -1`. */
const endWithReader = (): void => {
  process.stdout.on('error', (error) => {
    if (getErrorCode(error) !== 'EPIPE') throw error
    process.exit(exitCodes.success)
  })
}

/** Runs the command that the arguments name, and sets the exit code of the process. */
export const runCommandLine = async (args: readonly string[]): Promise<void> =>
  runCli(async () => {
    endWithReader()
    const program = await createProgram(args)
    try {
      await program.parseAsync(args, { from: 'user' })
    } catch (error) {
      // Commander has written the help or the message already.
      if (!(error instanceof CommanderError)) throw error
      process.exitCode = error.exitCode === 0 ? exitCodes.success : exitCodes.usage
    }
  })
