import { randomBytes, randomUUID } from 'node:crypto'
import { flag } from '@patchbay/contract/api/values'
import { predefinedCarrier } from '@patchbay/contract/predefined-carriers'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { getDefaultSetup, type InitialSetup } from '../../config/settings/initial-setup-settings.ts'
import { acquireNamedLock } from '../../database/engine.ts'
import type { MigrationResult } from '../../database/migrations.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { createApiKey } from '../../resources/api-keys/store.ts'
import type { Services } from '../../resources/services.ts'
import { newWebhookSecret } from '../../resources/shared/webhook-secret.ts'
import predefinedCarriers from './predefined-carriers.json' with { type: 'json' }

/**
 * The initial content of a new database (docs/reference/platform-api/database.md#initial-content), with random secrets.
 */

const permissions = [
  ['ffbc342a-546a-11ed-bdc3-0242ac120002', 'VIEW_ONLY', 'Can view data but not make changes'],
  ['ffbc3a10-546a-11ed-bdc3-0242ac120002', 'PROVISION_SERVICES', 'Can provision services'],
  ['ffbc3c5e-546a-11ed-bdc3-0242ac120002', 'PROVISION_USERS', 'Can provision users'],
] as const

const products = [
  ['c4403cdb-8e75-4b27-9726-7d8315e3216d', 'concurrent call session', 'voice_call_session'],
  ['2c815913-5c26-4004-b748-183b459329df', 'registered device', 'device'],
  ['35a9fb10-233d-4eb9-aada-78de5814d680', 'api call', 'api_rate'],
] as const

/** The service provider and the account of a new database have the SIDs that they have in jambonz. */
export const defaultProvider = {
  service_provider_sid: '2708b1b3-2736-40ea-b502-c53d8396247f',
  name: 'default service provider',
}
export const defaultAccount = { account_sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af', name: 'default account' }

const carrierSeed = z.object({
  predefined_carriers: z.array(
    predefinedCarrier.extend({
      sip_gateways: z.array(
        z.object({
          predefined_sip_gateway_sid: z.string(),
          ipv4: z.string(),
          port: z.number(),
          inbound: flag,
          outbound: flag,
          netmask: z.number(),
        }),
      ),
      smpp_gateways: z.array(
        z.object({
          predefined_smpp_gateway_sid: z.string(),
          ipv4: z.string(),
          port: z.number(),
          inbound: flag,
          outbound: flag,
          netmask: z.number(),
          is_primary: flag,
          use_tls: flag,
        }),
      ),
    }),
  ),
})

const seedCarriers = async ({ trx }: WriteTransaction): Promise<void> => {
  for (const { sip_gateways, smpp_gateways, ...carrier } of carrierSeed.parse(predefinedCarriers).predefined_carriers) {
    await trx.insertInto('predefined_carriers').values(carrier).execute()
    const { predefined_carrier_sid } = carrier
    for (const gateway of sip_gateways)
      await trx
        .insertInto('predefined_sip_gateways')
        .values({ ...gateway, predefined_carrier_sid })
        .execute()
    for (const gateway of smpp_gateways)
      await trx
        .insertInto('predefined_smpp_gateways')
        .values({ ...gateway, predefined_carrier_sid })
        .execute()
  }
}

const seedTenancy = async ({ trx }: WriteTransaction, { provider, account }: InitialSetup): Promise<void> => {
  await trx
    .insertInto('service_providers')
    .values({ ...defaultProvider, name: provider ?? defaultProvider.name })
    .execute()
  const { service_provider_sid } = defaultProvider
  await trx
    .insertInto('accounts')
    .values({
      ...defaultAccount,
      name: account ?? defaultAccount.name,
      service_provider_sid,
      webhook_secret: newWebhookSecret(),
    })
    .execute()
  for (const [product_sid, name, category] of products)
    await trx.insertInto('products').values({ product_sid, name, category }).execute()
}

/**
 * Creates the admin with all three permissions, so that it is not view-only. A random password must be changed at the
 * first sign-in.
 */
const seedAdmin = async (
  write: WriteTransaction,
  { adminName, adminPassword }: InitialSetup,
  hashed_password: string,
): Promise<void> => {
  const { trx } = write
  const user_sid = randomUUID()
  const force_change = adminPassword === undefined ? 1 : 0
  const admin = {
    user_sid,
    name: adminName,
    email: 'admin@localhost',
    force_change,
    email_validated: 1,
  } as const
  await trx
    .insertInto('users')
    .values({ ...admin, hashed_password, provider: 'local' })
    .execute()
  for (const [permission_sid, name, description] of permissions) {
    await trx.insertInto('permissions').values({ permission_sid, name, description }).execute()
    await trx
      .insertInto('user_permissions')
      .values({ user_permissions_sid: randomUUID(), user_sid, permission_sid })
      .execute()
  }
  write.record({ action: 'create', kind: 'user', sid: user_sid, before: null, after: admin })
}

/** Creates the API key with the permissions of an administrator. */
const seedApiKey = async (write: WriteTransaction, token: string): Promise<void> => {
  const owner = { account_sid: null, service_provider_sid: null }
  await createApiKey(write, { ...owner, name: 'Initial setup', expires_at: null, token })
}

export interface FirstAdmin {
  name: string
  password: string
}

const isFilled = async (db: Kysely<Tables>): Promise<boolean> =>
  (await db.selectFrom('permissions').select('permission_sid').limit(1).executeTakeFirst()) !== undefined

/**
 * Fills a new database. Does nothing if the database was adopted from jambonz or has been filled before.
 * @param setup the names, the password, and the API key of an unattended installation
 * @returns the admin's password, which is not stored in plain text, or undefined if nothing was done
 */
export const firstStart = async (
  { database: { db }, write, passwords }: Pick<Services, 'database' | 'write' | 'passwords'>,
  { adopted }: MigrationResult,
  password = randomBytes(16).toString('base64url'),
  setup: InitialSetup = getDefaultSetup(),
): Promise<FirstAdmin | undefined> => {
  if (adopted || (await isFilled(db))) return undefined
  const hash = await passwords.hash(password)
  return write('patchbay', async (tx) => {
    // Another process may be starting at the same time.
    await acquireNamedLock(tx.trx, tx.engine, 'first start')
    if (await isFilled(tx.trx)) return undefined
    await seedAdmin(tx, setup, hash)
    await seedTenancy(tx, setup)
    await seedCarriers(tx)
    if (setup.apiKey !== undefined) await seedApiKey(tx, setup.apiKey)
    return { name: setup.adminName, password }
  })
}
