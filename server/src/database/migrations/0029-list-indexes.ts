import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds indexes with the order and the filters of lists of applications and carriers. Adopted tables are not changed. */

const changes: Statements = {
  sqlite: [
    'CREATE INDEX IF NOT EXISTS patchbay_applications_listed ON applications (name, application_sid, account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_applications_of_account ON applications (account_sid, name, application_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_voip_carriers_listed ON voip_carriers (name, voip_carrier_sid, service_provider_sid, account_sid)',
  ],
  mysql: [
    'CREATE INDEX patchbay_applications_listed ON applications (name, application_sid, account_sid)',
    'CREATE INDEX patchbay_applications_of_account ON applications (account_sid, name, application_sid)',
    'CREATE INDEX patchbay_voip_carriers_listed ON voip_carriers (name, voip_carrier_sid, service_provider_sid, account_sid)',
  ],
}

export const up: Migration = async (context) => {
  if (context.adopted) return
  await alterTables(context, changes)
}
