import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds indexes for filtering and sorting lists of phone numbers. Adopted tables are not changed. */

const changes: Statements = {
  sqlite: [
    'CREATE INDEX IF NOT EXISTS patchbay_phone_numbers_listed ON phone_numbers (number, voip_carrier_sid, phone_number_sid, account_sid, service_provider_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_phone_numbers_of_account ON phone_numbers (account_sid, number, voip_carrier_sid, phone_number_sid, service_provider_sid)',
  ],
  mysql: [
    'CREATE INDEX patchbay_phone_numbers_listed ON phone_numbers (number, voip_carrier_sid, phone_number_sid, account_sid, service_provider_sid)',
    'CREATE INDEX patchbay_phone_numbers_of_account ON phone_numbers (account_sid, number, voip_carrier_sid, phone_number_sid, service_provider_sid)',
  ],
}

export const up: Migration = async (context) => {
  if (context.adopted) return
  await alterTables(context, changes)
}
