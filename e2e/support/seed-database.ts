import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunningServer } from '@patchbay/testkit/servers/server-process'

/** Writes rows that no endpoint can create directly to the server's database. */

const insert = ({ dataDir }: RunningServer, table: string, rows: readonly Record<string, string | null>[]): void => {
  const [first = {}] = rows
  const columns = Object.keys(first)
  const database = new DatabaseSync(join(dataDir, 'patchbay.sqlite'), { timeout: 10_000 })
  const places = columns.map(() => '?').join(', ')
  const into = database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
  database.exec('BEGIN IMMEDIATE')
  for (const row of rows) into.run(...columns.map((column) => row[column] ?? null))
  database.exec('COMMIT')
  database.close()
}

/** Creates applications with these names and returns their SIDs. */
export const makeApplications = (server: RunningServer, account_sid: string, names: readonly string[]): string[] => {
  const rows = names.map((name) => ({ application_sid: randomUUID(), account_sid, name }))
  insert(server, 'applications', rows)
  return rows.map(({ application_sid }) => application_sid)
}

export const makeNumbers = (server: RunningServer, account_sid: string, numbers: readonly string[]): void =>
  insert(
    server,
    'phone_numbers',
    numbers.map((number) => ({ phone_number_sid: randomUUID(), account_sid, number })),
  )

export const makeTeamsTenant = (
  server: RunningServer,
  owner: { account_sid: string; service_provider_sid: string },
  tenant_fqdn: string,
): void => {
  const { account_sid, service_provider_sid } = owner
  const row = { ms_teams_tenant_sid: randomUUID(), account_sid, service_provider_sid, tenant_fqdn }
  insert(server, 'ms_teams_tenants', [row])
}

/** Sets the status like the platform's registration process. */
export const setRegisterStatus = ({ dataDir }: RunningServer, voip_carrier_sid: string, status: object): void => {
  const database = new DatabaseSync(join(dataDir, 'patchbay.sqlite'), { timeout: 10_000 })
  database
    .prepare('UPDATE voip_carriers SET register_status = ? WHERE voip_carrier_sid = ?')
    .run(JSON.stringify(status), voip_carrier_sid)
  database.close()
}

/** Lets a user sign in with GitHub only, as after a registration with it. */
export const makeGitHubUser = ({ dataDir }: RunningServer, user_sid: string): void => {
  const database = new DatabaseSync(join(dataDir, 'patchbay.sqlite'), { timeout: 10_000 })
  database.prepare("UPDATE users SET provider = 'github' WHERE user_sid = ?").run(user_sid)
  database.close()
}
