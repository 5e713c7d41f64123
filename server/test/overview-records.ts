import { randomUUID } from 'node:crypto'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { sqlTime } from '@patchbay/server/database/engine'
import type { Tables } from '@patchbay/server/database/tables'
import type { TestApi } from '@patchbay/testkit/test-api'
import type { Insertable } from 'kysely'
import { callRecord, nanosecondsAt } from './fixtures.ts'

/**
 * Records of an account and of its provider, inserted directly into the tables because some states come from other
 * components of jambonz only. The account owns a record unless `account_sid` says otherwise; the provider owns it then.
 */
export const addOverviewRecords = async (api: TestApi) => {
  const { database } = api.test
  const { db, engine } = database
  const provider = await api.provider()
  const account = await api.account(provider)
  const call_hook_sid = randomUUID()
  await db.insertInto('webhooks').values({ webhook_sid: call_hook_sid, url: 'https://app.example.org' }).execute()

  type More<T extends keyof Tables> = Partial<Insertable<Tables[T]>>
  const owned = ({ account_sid = account }: { account_sid?: string | null }) => ({
    account_sid,
    service_provider_sid: provider,
  })

  return {
    provider,
    account,
    otherAccount: () => api.account(provider),
    carrier: async (more: More<'voip_carriers'>) => {
      const voip_carrier_sid = randomUUID()
      const names = { voip_carrier_sid, name: voip_carrier_sid }
      await db
        .insertInto('voip_carriers')
        .values({ ...names, ...more, ...owned(more) })
        .execute()
      return voip_carrier_sid
    },
    gateway: async (more: More<'sip_gateways'> & { voip_carrier_sid: string }) => {
      const gateway = { sip_gateway_sid: randomUUID(), ipv4: '10.1.1.1', inbound: 0, outbound: 0 } as const
      await db
        .insertInto('sip_gateways')
        .values({ ...gateway, ...more })
        .execute()
    },
    speech: async ({ vendor, ...more }: More<'speech_credentials'> & { vendor: string }) => {
      const speech_credential_sid = randomUUID()
      await db
        .insertInto('speech_credentials')
        .values({ speech_credential_sid, vendor, credential: '', ...more, ...owned(more) })
        .execute()
      return speech_credential_sid
    },
    /** An application that uses Google for speech unless `more` names other vendors. */
    application: async (more: More<'applications'>) => {
      const application_sid = randomUUID()
      const vendors = {
        speech_synthesis_vendor: 'google',
        speech_synthesis_voice: 'en-US-Neural2-C',
        speech_recognizer_vendor: 'google',
      }
      await db
        .insertInto('applications')
        .values({ application_sid, name: application_sid, call_hook_sid, account_sid: account, ...vendors, ...more })
        .execute()
      return application_sid
    },
    number: async (more: More<'phone_numbers'> & { number: string }) => {
      await db
        .insertInto('phone_numbers')
        .values({ phone_number_sid: randomUUID(), ...more, ...owned(more) })
        .execute()
    },
    apiKey: async (expires_at: Date) => {
      const api_key_sid = randomUUID()
      const key = { api_key_sid, token: randomUUID(), account_sid: account }
      await db
        .insertInto('api_keys')
        .values({ ...key, expires_at: sqlTime(engine, expires_at) })
        .execute()
      return api_key_sid
    },
    /** @param day relative to today */
    usage: async ({ kind, amount, day = 0 }: { kind: string; amount: number; day?: number }) => {
      const today = toDayNumber(Date.now())
      await db
        .insertInto('patchbay_account_usage')
        .values({ account_sid: account, kind, day: today + day, amount, alerted: 0 })
        .execute()
    },
    callLimit: async (
      owner: { account_sid: string } | { service_provider_sid: string },
      quantity: number,
    ): Promise<void> => {
      const limit = { category: 'voice_call_session', quantity } as const
      if ('account_sid' in owner)
        await db
          .insertInto('account_limits')
          .values({ account_limits_sid: randomUUID(), ...owner, ...limit })
          .execute()
      else
        await db
          .insertInto('service_provider_limits')
          .values({ service_provider_limits_sid: randomUUID(), ...owner, ...limit })
          .execute()
    },
    sipAddress: async () => {
      await db
        .insertInto('sbc_addresses')
        .values({ sbc_address_sid: randomUUID(), ipv4: '3.3.3.3', service_provider_sid: provider })
        .execute()
    },
    call: (more: Partial<CallRecord>) =>
      api.sinks.calls.store([
        callRecord(account, { service_provider_sid: provider, time: nanosecondsAt(Date.now()), ...more }),
      ]),
  }
}

export type OverviewRecords = Awaited<ReturnType<typeof addOverviewRecords>>
