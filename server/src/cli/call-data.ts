import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ApiError } from '@patchbay/contract/api/errors'
import { Argument, type Command } from 'commander'
import { z } from 'zod'
import type { ClickHouse } from '../call-data/clickhouse/clickhouse.ts'
import type { CopyPosition, CopyProgress, CopySource } from '../call-data/clickhouse/copy-table.ts'
import { type Configuration, readConfiguration } from '../config/configuration.ts'
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

const stateSchema = z.object({
  /** Identifies the database, and the tables of ClickHouse. */
  between: z.string(),
  /** Identifies the copy. */
  run: z.string(),
  /** The kind that is copied. Earlier kinds are complete. */
  kind: z.enum(kinds),
  /** The last row that was copied. */
  position: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The numbers of copies that differ from their originals. */
  different: z.partialRecord(z.enum(kinds), z.number()),
})
type State = z.infer<typeof stateSchema>

/** Returns the state of an interrupted copy between the same stores, or undefined. */
const readState = (file: string, between: string): State | undefined => {
  if (!existsSync(file)) return undefined
  const { data } = stateSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  return data?.between === between ? data : undefined
}

/** Returns a text that identifies the stores. Tables that were created again have another UUID. */
const identifyStores = async (
  { database, clickHouse: address }: Pick<Configuration, 'database' | 'clickHouse'>,
  clickHouse: ClickHouse,
): Promise<string> => {
  const tables = await clickHouse.query<{ id: string }>(
    "SELECT toString(uuid) AS id FROM system.tables WHERE database = currentDatabase() AND name = 'calls'",
    {},
  )
  const source = database.engine === 'sqlite' ? resolve(database.file) : database.url
  const stores = [source, address?.url, address?.database, ...tables.map(({ id }) => id)]
  return createHash('sha256').update(JSON.stringify(stores)).digest('hex')
}

const formatNumber = (count: number): string => count.toLocaleString('en-US')

const formatResult = (results: ReadonlyMap<Kind, CopyProgress>): string =>
  [...results]
    .map(
      ([kind, { read, inserted }]) =>
        `ClickHouse has all ${formatNumber(read)} ${nouns[kind]} that were read, and ${formatNumber(inserted)} of them are new.\n`,
    )
    .join('') + 'Each was compared with its original.\n'

interface Copied {
  results: ReadonlyMap<Kind, CopyProgress>
  /** Differences, including those that an interrupted copy has found. */
  different: State['different']
}

/** Copies all kinds, from the state of an interrupted copy on. */
const copyKinds = async (
  database: Database,
  clickHouse: ClickHouse,
  { file, between }: { file: string; between: string },
): Promise<Copied> => {
  const [{ copyTable }, { createCallCopy }, { createMessageCopy, createLogCopy, createTraceCopy }] = await Promise.all([
    import('../call-data/clickhouse/copy-table.ts'),
    import('../call-data/clickhouse/copy-calls.ts'),
    import('../call-data/clickhouse/copy-details.ts'),
  ])
  const state = readState(file, between)
  const run = state?.run ?? randomUUID()
  const different: State['different'] = { ...state?.different }
  const results = new Map<Kind, CopyProgress>()
  const copyKind = async <Row extends object>(kind: Kind, source: CopySource<Row>): Promise<void> => {
    if (state !== undefined && kinds.indexOf(kind) < kinds.indexOf(state.kind)) return
    const start = state?.kind === kind ? state.position : undefined
    const before = different[kind] ?? 0
    const onBatch = (progress: CopyProgress, position: CopyPosition): void => {
      different[kind] = before + progress.different.count
      const next: State = { between, run, kind, position: { ...position }, different }
      writeFileAtomic(file, JSON.stringify(next))
      process.stderr.write(`  ${formatNumber(progress.read)} ${nouns[kind]}\n`)
    }
    results.set(kind, await copyTable(clickHouse, source, start, onBatch, run))
  }
  await copyKind('calls', createCallCopy(database))
  await copyKind('traces', createTraceCopy(database))
  await copyKind('logs', createLogCopy(database))
  await copyKind('captures', createMessageCopy(database))
  return { results, different }
}

const copy = async ({ json }: Options): Promise<void> => {
  const configuration = readConfiguration(process.env)
  const { clickHouse: address, dataDir, database: databaseAddress, callDataDays } = configuration
  if (address === null) throw new FatalError('Set CLICKHOUSE_URL to the ClickHouse that gets the call data.')
  const [{ createClickHouse }, { migrateClickHouse }] = await Promise.all([
    import('../call-data/clickhouse/clickhouse.ts'),
    import('../call-data/clickhouse/migrate-clickhouse.ts'),
  ])
  makeDataFolder(dataDir)
  const file = join(dataDir, 'call-data-copy.json')
  const { database } = await openMigrated(databaseAddress)
  const clickHouse = await createClickHouse(address)
  try {
    await migrateClickHouse(clickHouse, callDataDays)
    const between = await identifyStores(configuration, clickHouse)
    const { results, different } = await copyKinds(database, clickHouse, { file, between })
    // The next run compares all rows again.
    rmSync(file, { force: true })
    for (const kind of kinds) {
      const count = different[kind] ?? 0
      const names = results.get(kind)?.different.first ?? []
      const list = names.length > 0 ? `: ${names.join(', ')}` : ''
      if (count > 0)
        throw new FatalError(
          `${formatNumber(count)} ${nouns[kind]} in ClickHouse differ from those in the database${list}. Run the command again to compare all.`,
        )
    }
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
  const { database } = await openMigrated(readConfiguration(process.env).database)
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
