import type { Command } from 'commander'
import Fastify from 'fastify'
import { createServices } from '../app/create-services.ts'
import { createSink } from '../app/ingest.ts'
import { openCallDataSinks, storesInDatabaseOnly } from '../app/open-call-data-sinks.ts'
import { openInstallation } from '../app/open-installation.ts'
import { defaultAccount, defaultProvider, type FirstAdmin, firstStart } from '../app/seed/first-start.ts'
import { queueConversations } from '../call-data/conversations/queue-conversations.ts'
import { createInfluxIntake } from '../call-data/ingest/influx-ingest.ts'
import { readConfiguration } from '../config/configuration.ts'
import { type Demo, fillDemo } from '../demo/seed-demo.ts'
import { FatalError } from '../lib/cli.ts'
import { createLogStream, loggerOptions } from '../lib/log.ts'
import { deleteAccount } from '../resources/accounts/delete-account.ts'
import { deleteProvider } from '../resources/service-providers/store.ts'
import type { Services } from '../resources/services.ts'
import { parseTime, parseWholeNumber } from './option-parsers.ts'
import { jsonOption, printResult } from './output.ts'

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

interface Options {
  accounts: number
  calls: number
  alerts: number
  numbers: number
  days: number
  busiest: number
  until?: number
  json?: boolean
}

const fill = async ({ json, until = Date.now(), ...options }: Options): Promise<void> => {
  const size = { ...options, days: Math.max(1, options.days), busiest: Math.min(100, options.busiest) / 100, until }
  const progressStream = json ? process.stderr : process.stdout
  const started = performance.now()
  const { configuration, database, migrated } = await openInstallation(readConfiguration(process.env))
  try {
    const services = createServices({ configuration, database, missingSchema: migrated.missingSchema })
    const { initialSetup } = configuration
    const admin = await firstStart(services, migrated, initialSetup.adminPassword, initialSetup)
    const otherProviders = database.db
      .selectFrom('service_providers')
      .select('name')
      .where('service_provider_sid', '!=', defaultProvider.service_provider_sid)
    if ((await otherProviders.executeTakeFirst()) !== undefined)
      throw new FatalError(
        'This database is in use. Demo data goes into a fresh one: name it by DATA_DIR or DATABASE_URL.',
      )
    const { log } = Fastify({ logger: loggerOptions('warn', createLogStream(progressStream)) })
    const sinks = queueConversations(await openCallDataSinks(configuration, database, log, { batchMs: 0 }), database, {
      calls: services.calls,
      isDatabaseOnly: storesInDatabaseOnly(configuration),
    })
    const intake = createInfluxIntake({ sink: createSink(sinks), logger: log })
    const progress = createProgress(progressStream)
    const demo = await fillDemo({ services, sinks, intake, progress }, size, demoPassword)
    await sinks.close()
    if (admin) await deleteDefaultTenant(services)
    const users = demo.users.map((name) => ({ name, password: demoPassword }))
    // A password from the settings is a secret of the operator.
    const printedAdmin = initialSetup.adminPassword === undefined ? admin : undefined
    const result = { admin: printedAdmin ?? null, users }
    printResult(json, result, formatResult(demo, printedAdmin, (performance.now() - started) / 1000))
  } finally {
    await database.close()
  }
}

/** `patchbay demo`: fills a new database, which the server's settings select, with demo data. */
export const configure = (command: Command): void => {
  command
    .description('Fill a new database with demo data. The same options produce the same names, numbers, and calls.')
    .option('--accounts <n>', 'accounts of the service provider', parseWholeNumber, 20)
    .option('--calls <n>', 'call records', parseWholeNumber, 20_000)
    .option('--alerts <n>', 'alerts', parseWholeNumber, 200)
    .option('--numbers <n>', 'phone numbers', parseWholeNumber, 250)
    .option('--days <n>', 'days over which calls and alerts are spread', parseWholeNumber, 30)
    .option('--busiest <n>', 'percentage of the calls that the first account has', parseWholeNumber, 40)
    .option('--until <time>', 'time of the last call, such as 2026-11-21T12:00:00Z (default: now)', parseTime)
    .option(...jsonOption)
    .action(fill)
}
