import Fastify from 'fastify'
import { parseArgs } from 'node:util'
import { readConfiguration } from '../config/configuration.ts'
import { openMigrated } from '../database/migrations.ts'
import { loggerOptions } from '../lib/log.ts'
import { connectPlatform } from './external-services.ts'
import { FatalError, runCli } from '../lib/cli.ts'
import { setAdminPassword } from './seed/admin-password.ts'
import { createServices } from './services.ts'

/** `npm run admin:password`: sets a new password for an admin in the database that the server's settings select. */

const usage = `npm run admin:password -- [options]
  --name NAME   sign-in name of the admin (admin)`

const readName = (args: string[]): string | undefined => {
  const options = { name: { type: 'string', default: 'admin' }, help: { type: 'boolean', default: false } } as const
  try {
    const { name, help } = parseArgs({ args, options }).values
    return help ? undefined : name
  } catch (error) {
    throw new FatalError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, { cause: error })
  }
}

await runCli(async () => {
  const adminName = readName(process.argv.slice(2))
  if (adminName === undefined) return void process.stdout.write(`${usage}\n`)
  const configuration = readConfiguration(process.env)
  const { database, migrated } = await openMigrated(configuration.database)
  const { log } = Fastify({ logger: loggerOptions('warn', process.stderr) })
  const platform = await connectPlatform(configuration, log)
  try {
    const services = createServices({ configuration, database, missingSchema: migrated.missingSchema, platform })
    const { name, password } = await setAdminPassword(services, adminName)
    process.stdout.write(
      `\n  ${name} signs in with the password ${password}\n  It must be changed then, and is not shown again.\n\n`,
    )
  } finally {
    await platform.close()
    await database.close()
  }
})
