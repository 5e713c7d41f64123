import { Argument, type Command } from 'commander'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { CopyPosition, CopyProgress } from '../call-data/clickhouse/copy-calls.ts'
import { previewConfiguration } from '../config/configuration.ts'
import { makeDataFolder, writeFileAtomic } from '../config/data-directory.ts'
import { openMigrated } from '../database/migrations.ts'
import { FatalError } from '../lib/cli.ts'
import { jsonOption, printResult } from './output.ts'

interface Options {
  json?: boolean
}

const positionSchema = z.object({
  account_sid: z.string(),
  attempted_at: z.number(),
  attempted_ns: z.number(),
  call_key: z.string(),
})

/** Returns the position at which an interrupted copy ended, or undefined. */
const readPosition = (file: string): CopyPosition | undefined =>
  existsSync(file) ? positionSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined

const formatNumber = (count: number): string => count.toLocaleString('en-US')

const formatResult = ({ read, inserted }: CopyProgress): string =>
  `ClickHouse has all ${formatNumber(read)} call records that were read, and ${formatNumber(inserted)} of them are new. ` +
  `Each was compared with its original.\n`

const copy = async (_action: string, { json }: Options): Promise<void> => {
  const { clickHouse: address, dataDir, database: databaseAddress, callDataDays } = previewConfiguration(process.env)
  if (address === null) throw new FatalError('Set CLICKHOUSE_URL to the ClickHouse that gets the call records.')
  const [{ createClickHouse }, { migrateClickHouse }, { copyCalls }] = await Promise.all([
    import('../call-data/clickhouse/clickhouse.ts'),
    import('../call-data/clickhouse/migrate.ts'),
    import('../call-data/clickhouse/copy-calls.ts'),
  ])
  makeDataFolder(dataDir)
  const file = join(dataDir, 'call-data-copy.json')
  const { database } = await openMigrated(databaseAddress)
  const clickHouse = await createClickHouse(address)
  try {
    await migrateClickHouse(clickHouse, callDataDays)
    const progress = await copyCalls(database, clickHouse, readPosition(file), ({ read }, position) => {
      writeFileAtomic(file, JSON.stringify(position))
      process.stderr.write(`  ${formatNumber(read)} call records\n`)
    })
    // The next run compares all records again.
    rmSync(file, { force: true })
    const { count, first } = progress.different
    if (count > 0)
      throw new FatalError(
        `${formatNumber(count)} call records in ClickHouse differ from those in the database: ${first.join(', ')}.`,
      )
    printResult(json, { read: progress.read, inserted: progress.inserted }, formatResult(progress))
  } catch (error) {
    if (error instanceof FatalError) throw error
    throw new FatalError('The copy was interrupted, because ClickHouse failed. Run the command again to continue.', {
      cause: error,
    })
  } finally {
    await Promise.all([database.close(), clickHouse.close()])
  }
}

/** `patchbay call-data copy`: copies call records from the database to ClickHouse. */
export const configure = (command: Command): void => {
  command
    .description(
      'Copy the call records of the database to ClickHouse (CLICKHOUSE_URL), and compare each copy with its original. ' +
        'The server can run meanwhile. An interrupted copy continues when the command runs again.',
    )
    .addArgument(new Argument('<action>', 'action to run').choices(['copy']))
    .option(...jsonOption)
    .action(copy)
}
