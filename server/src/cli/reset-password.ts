import type { Command } from 'commander'
import Fastify from 'fastify'
import { createServices } from '../app/create-services.ts'
import { connectExternalServices } from '../app/external-services.ts'
import { setAdminPassword } from '../app/seed/admin-password.ts'
import { readConfiguration } from '../config/configuration.ts'
import { openMigrated } from '../database/migrations.ts'
import { loggerOptions } from '../lib/log.ts'
import { jsonOption, printResult } from './output.ts'

interface Options {
  name: string
  json?: boolean
}

const resetPassword = async ({ name: adminName, json }: Options): Promise<void> => {
  const configuration = readConfiguration(process.env)
  const { database, migrated } = await openMigrated(configuration.database)
  const { log } = Fastify({ logger: loggerOptions('warn', process.stderr) })
  const externalServices = await connectExternalServices(configuration, log)
  try {
    const services = createServices({
      configuration,
      database,
      missingSchema: migrated.missingSchema,
      externalServices,
    })
    const { name, password } = await setAdminPassword(services, adminName)
    const text = `\n  ${name} signs in with the password ${password}\n  It must be changed then, and is not shown again.\n\n`
    printResult(json, { name, password }, text)
  } finally {
    await externalServices.close()
    await database.close()
  }
}

/** `patchbay reset-password`: sets a new password for an admin in the database that the server's settings select. */
export const configure = (command: Command): void => {
  command
    .description(
      'Give an administrator a new random password, which must be changed at the next sign-in. The sessions of the ' +
        'administrator end. The server can continue to run.',
    )
    .option('--name <name>', 'sign-in name of the administrator', 'admin')
    .option(...jsonOption)
    .action(resetPassword)
}
