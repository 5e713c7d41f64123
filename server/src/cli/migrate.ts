import type { Command } from 'commander'
import { readDatabaseAddress } from '../config/configuration.ts'
import { openMigrated, planMigrations } from '../database/migrations.ts'
import { describeExitCodes } from './exit-codes.ts'
import { jsonOption, printResult } from './output.ts'

interface Options {
  plan?: boolean
  json?: boolean
}

/** The exit code of `--plan` if there are changes. It differs from that of a failure. */
const pendingExitCode = 3

const formatList = (title: string, names: readonly string[]): string =>
  names.length === 0 ? 'The schema is current.\n' : `${title}\n${names.map((name) => `  ${name}\n`).join('')}`

const migrate = async ({ plan, json }: Options): Promise<void> => {
  const address = readDatabaseAddress(process.env)
  if (plan) {
    const pending = await planMigrations(address)
    printResult(json, { pending }, formatList('These schema changes are pending:', pending))
    if (pending.length > 0) process.exitCode = pendingExitCode
    return
  }
  const { database, migrated } = await openMigrated(address)
  await database.close()
  printResult(json, { applied: migrated.applied }, formatList('These schema changes were made:', migrated.applied))
}

/** `patchbay migrate`: changes the schema as a start of the server would, or shows what would be changed. */
export const configure = (command: Command): void => {
  command
    .description(
      'Change the schema of the database to that of this version, as every start of the server does. Tables of a ' +
        'platform are never changed.',
    )
    .option('--plan', 'list the pending changes, and change nothing')
    .option(...jsonOption)
    .action(migrate)
  describeExitCodes(command, { [pendingExitCode]: 'with --plan: changes are pending' })
}
