import { ApiError } from '@patchbay/contract/errors'
import { Argument, type Command } from 'commander'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ClickHouse } from '../call-data/clickhouse/clickhouse.ts'
import type { CopyProgress, CopySource } from '../call-data/clickhouse/copy-table.ts'
import { previewConfiguration } from '../config/configuration.ts'
import { makeDataFolder, writeFileAtomic } from '../config/data-directory.ts'
import type { Database } from '../database/engine.ts'
import { openMigrated } from '../database/migrations.ts'
import { FatalError } from '../lib/cli.ts'
import { parseTime } from './option-parsers.ts'
import { jsonOption, printResult } from './output.ts'

interface Options {
  json?: boolean
  account?: string
  before?: number
}

const kinds = ['calls', 'traces', 'logs', 'captures'] as const
type Kind = (typeof kinds)[number]

const nouns: Readonly<Record<Kind, string>> = {
  calls: 'call records',
  traces: 'deliveries of traces',
  logs: 'deliveries of log lines',
  captures: 'SIP messages',
}

/** The kind that is copied, and the last row that was copied. Earlier kinds are complete. */
const stateSchema = z.object({
  kind: z.enum(kinds),
  position: z.record(z.string(), z.union([z.string(), z.number()])),
})

/** Returns the state of an interrupted copy, or undefined. */
const readState = (file: string): z.infer<typeof stateSchema> | undefined =>
  existsSync(file) ? stateSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined

const formatNumber = (count: number): string => count.toLocaleString('en-US')

const formatResult = (results: ReadonlyMap<Kind, CopyProgress>): string =>
  [...results]
    .map(
      ([kind, { read, inserted }]) =>
        `ClickHouse has all ${formatNumber(read)} ${nouns[kind]} that were read, and ${formatNumber(inserted)} of them are new.\n`,
    )
    .join('') + 'Each was compared with its original.\n'

/** Copies all kinds, from the state of an interrupted copy on. */
const copyKinds = async (
  database: Database,
  clickHouse: ClickHouse,
  file: string,
): Promise<ReadonlyMap<Kind, CopyProgress>> => {
  const [{ copyTable }, { createCallCopy }, { createMessageCopy, createLogCopy, createTraceCopy }] = await Promise.all([
    import('../call-data/clickhouse/copy-table.ts'),
    import('../call-data/clickhouse/copy-calls.ts'),
    import('../call-data/clickhouse/copy-details.ts'),
  ])
  const state = readState(file)
  const results = new Map<Kind, CopyProgress>()
  const copyKind = async <Row extends object>(kind: Kind, source: CopySource<Row>): Promise<void> => {
    if (state !== undefined && kinds.indexOf(kind) < kinds.indexOf(state.kind)) return
    const start = state?.kind === kind ? state.position : undefined
    const progress = await copyTable(clickHouse, source, start, ({ read }, position) => {
      writeFileAtomic(file, JSON.stringify({ kind, position }))
      process.stderr.write(`  ${formatNumber(read)} ${nouns[kind]}\n`)
    })
    results.set(kind, progress)
  }
  await copyKind('calls', createCallCopy(database))
  await copyKind('traces', createTraceCopy(database))
  await copyKind('logs', createLogCopy(database))
  await copyKind('captures', createMessageCopy(database))
  return results
}

const copy = async ({ json }: Options): Promise<void> => {
  const { clickHouse: address, dataDir, database: databaseAddress, callDataDays } = previewConfiguration(process.env)
  if (address === null) throw new FatalError('Set CLICKHOUSE_URL to the ClickHouse that gets the call data.')
  const [{ createClickHouse }, { migrateClickHouse }] = await Promise.all([
    import('../call-data/clickhouse/clickhouse.ts'),
    import('../call-data/clickhouse/migrate.ts'),
  ])
  makeDataFolder(dataDir)
  const file = join(dataDir, 'call-data-copy.json')
  const { database } = await openMigrated(databaseAddress)
  const clickHouse = await createClickHouse(address)
  try {
    await migrateClickHouse(clickHouse, callDataDays)
    const results = await copyKinds(database, clickHouse, file)
    // The next run compares all rows again.
    rmSync(file, { force: true })
    for (const [kind, { different }] of results)
      if (different.count > 0)
        throw new FatalError(
          `${formatNumber(different.count)} ${nouns[kind]} in ClickHouse differ from those in the database: ${different.first.join(', ')}.`,
        )
    const counts = [...results].map(([kind, { read, inserted }]) => [kind, { read, inserted }])
    printResult(json, Object.fromEntries(counts), formatResult(results))
  } catch (error) {
    if (error instanceof FatalError) throw error
    throw new FatalError('The copy was interrupted, because ClickHouse failed. Run the command again to continue.', {
      cause: error,
    })
  } finally {
    await Promise.all([database.close(), clickHouse.close()])
  }
}

/** Requests the deletion of the call data of an account, which a running server completes. */
const requestDeletion = async ({ json, account, before }: Options): Promise<void> => {
  if (account === undefined) throw new FatalError('Name the account with --account.')
  const [{ createWriter }, { createAuditTrail }, { createDataDeletion }] = await Promise.all([
    import('../database/write-transaction.ts'),
    import('../database/audit-trail.ts'),
    import('../resources/data-deletions/store.ts'),
  ])
  const { database } = await openMigrated(previewConfiguration(process.env).database)
  const trail = createAuditTrail(database, () => {})
  try {
    const write = createWriter(database, new Set(), trail.observe)
    const end = before === undefined ? undefined : new Date(before).toISOString()
    const deletion = await write('patchbay', (tx) => createDataDeletion(tx, account, end))
    const text =
      `The server deletes the call data of ${deletion.account_sid} from before ${deletion.before}.\n` +
      `GET /v1/patchbay/Accounts/${deletion.account_sid}/DataDeletions shows the progress.\n`
    printResult(json, deletion, text)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new FatalError(error.code === 'not_found' ? `There is no account ${account}.` : `${error.message}.`, {
      cause: error,
    })
  } finally {
    await trail.flush()
    await database.close()
  }
}

const run = (action: string, options: Options): Promise<void> =>
  action === 'copy' ? copy(options) : requestDeletion(options)

/** `patchbay call-data`: copies call data from the database to ClickHouse, or deletes that of an account. */
export const configure = (command: Command): void => {
  command
    .description(
      'With copy, Patchbay copies the call records, traces, log lines, and captured SIP of the database to ClickHouse ' +
        '(CLICKHOUSE_URL), and compares each copy with its original. The server can run meanwhile. An interrupted copy ' +
        'continues when the command runs again. With delete, a running server deletes the call data of an account in ' +
        'the background.',
    )
    .addArgument(new Argument('<action>', 'action to run').choices(['copy', 'delete']))
    .option('--account <sid>', 'with delete, the account')
    .option(
      '--before <time>',
      'with delete, a time, of which the UTC day and later ones are kept (default: now)',
      parseTime,
    )
    .option(...jsonOption)
    .action(run)
}
