import Fastify from 'fastify'
import { parseArgs } from 'node:util'
import { readConfiguration } from '../config/configuration.ts'
import { openMigrated } from '../database/migrations.ts'
import { type Demo, type DemoSize, fillDemo } from './seed-demo.ts'
import { createSink } from '../app/ingest.ts'
import { loggerOptions, createLogStream } from '../lib/log.ts'
import { createInfluxIntake } from '../call-data/ingest/influx-ingest.ts'
import { FatalError, runCli } from '../lib/cli.ts'
import { defaultAccount, defaultProvider, type FirstAdmin, firstStart } from '../app/seed/first-start.ts'
import { deleteAccount } from '../resources/accounts/delete-account.ts'
import { deleteProvider } from '../resources/service-providers/store.ts'
import type { Services } from '../resources/services.ts'
import { createServices } from '../app/services.ts'

/** `npm run demo`: fills a new database, which the server's settings select, with demo data. */

class UnusableDemo extends FatalError {}

const usage = `npm run demo -- [options]
  --accounts N   accounts of the provider (20)
  --calls N      call records (20000)
  --alerts N     alerts (200)
  --numbers N    phone numbers of the provider's carriers (250)
  --days N       days over which they are spread (30)
  --busiest N    percent of the calls that the first account has (40)
  --until TIME   when the last of them was (now), as 2026-11-21T12:00:00Z`

const numberOption = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new UnusableDemo(`--${name} must be a number.\n\n${usage}`)
  return Number(text)
}

const readSize = (args: readonly string[]): DemoSize | undefined => {
  const options = {
    accounts: { type: 'string', default: '20' },
    calls: { type: 'string', default: '20000' },
    alerts: { type: 'string', default: '200' },
    numbers: { type: 'string', default: '250' },
    days: { type: 'string', default: '30' },
    busiest: { type: 'string', default: '40' },
    until: { type: 'string', default: new Date().toISOString() },
    help: { type: 'boolean', default: false },
  } as const
  try {
    const { until, help, ...numbers } = parseArgs({ args: [...args], options }).values
    if (help) return undefined
    if (Number.isNaN(Date.parse(until))) throw new UnusableDemo(`--until must be a time.\n\n${usage}`)
    const size = {
      accounts: numberOption('accounts', numbers.accounts),
      calls: numberOption('calls', numbers.calls),
      alerts: numberOption('alerts', numbers.alerts),
      numbers: numberOption('numbers', numbers.numbers),
      days: Math.max(1, numberOption('days', numbers.days)),
      busiest: Math.min(100, numberOption('busiest', numbers.busiest)) / 100,
    }
    return { ...size, until: Date.parse(until) }
  } catch (error) {
    if (error instanceof UnusableDemo) throw error
    throw new UnusableDemo(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
}

/** Reports progress: overwrites a single line on a terminal, or else writes a line per 10 %. */
const createProgress = (stream: NodeJS.WriteStream) => {
  let lastPart = -1
  return (what: string, done: number, total: number) => {
    const currentPart = Math.floor((done / Math.max(1, total)) * (stream.isTTY ? 1000 : 10))
    if (currentPart === lastPart && done < total) return
    lastPart = currentPart
    stream.write(
      `${stream.isTTY ? '\r' : ''}  ${what.padEnd(9)} ${done} of ${total}${stream.isTTY && done < total ? '' : '\n'}`,
    )
    if (done >= total) lastPart = -1
  }
}

const formatResult = (demo: Demo, admin: FirstAdmin | undefined, seconds: number): string =>
  [
    '',
    `  Filled in ${seconds.toFixed(1)} s. Start Patchbay with npm start and sign in as`,
    ...(admin ? [`    admin with the password ${admin.password} (to be changed at first sign-in)`] : []),
    `    ${demo.users.join(', ')} with the password ${demoPassword}`,
    '',
    '',
  ].join('\n')

/** Password of the demo users, who exist only in demo databases. */
const demoPassword = 'demo-2026'

/** Deletes the empty provider and account of a new database, so that the first sign-in opens the demo provider. */
const deleteDefaultTenant = ({ write }: Services): Promise<void> =>
  write('patchbay', async (tx) => {
    await deleteAccount(tx, defaultAccount.account_sid)
    await deleteProvider(tx, defaultProvider.service_provider_sid)
  })

const fill = async (): Promise<void> => {
  const size = readSize(process.argv.slice(2))
  if (size === undefined) return void process.stdout.write(`${usage}\n`)
  const started = performance.now()
  const configuration = readConfiguration(process.env)
  const { database, migrated } = await openMigrated(configuration.database)
  try {
    const services = createServices({ configuration, database, missingSchema: migrated.missingSchema })
    const admin = await firstStart(services, migrated)
    const otherProviders = database.db
      .selectFrom('service_providers')
      .select('name')
      .where('service_provider_sid', '!=', defaultProvider.service_provider_sid)
    if ((await otherProviders.executeTakeFirst()) !== undefined)
      throw new UnusableDemo(
        'This database is in use. Demo data goes into a fresh one: name it by DATA_DIR or DATABASE_URL.',
      )
    const { log } = Fastify({ logger: loggerOptions('warn', createLogStream(process.stdout)) })
    const intake = createInfluxIntake({ sink: createSink(database), logger: log })
    const demo = await fillDemo({ services, intake, progress: createProgress(process.stdout) }, size, demoPassword)
    if (admin) await deleteDefaultTenant(services)
    process.stdout.write(formatResult(demo, admin, (performance.now() - started) / 1000))
  } finally {
    await database.close()
  }
}

await runCli(fill)
