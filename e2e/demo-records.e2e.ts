import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '@patchbay/contract/accounts'
import type { Application } from '@patchbay/contract/applications'
import type { WholeCarrier } from '@patchbay/contract/carriers-with-gateways'
import type { Overview } from '@patchbay/contract/overview'
import { builtServer, startServer } from '@patchbay/testkit/servers/server-process'
import { getFieldErrors } from '../console/src/form/field-errors.ts'
import { accountValues, toFormValues as toAccountValues } from '../console/src/screens/accounts/form/account-form.ts'
import {
  applicationValues,
  toFormValues as toApplicationValues,
} from '../console/src/screens/applications/form/application-form.ts'
import { carrierValues, toFormValues as toCarrierValues } from '../console/src/screens/carriers/form/carrier-form.ts'
import { lcrValues, toFormValues as toLcrValues } from '../console/src/screens/lcr/form/lcr-form.ts'
import { expect, test } from './support/test.ts'
import { createApiClient, signIn } from './visual/records.ts'

/** The records of the demo, as a user finds them. */

const demo = [...builtServer, 'demo']

test('the demo contains no record that its form refuses, and only the faults that it is there to show', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-demo-'))
  const settings = { DATA_DIR: folder }
  const size = ['--accounts', '3', '--calls', '20', '--alerts', '1', '--numbers', '30']
  await promisify(execFile)(process.execPath, [...demo, ...size], { env: { ...process.env, ...settings } })
  const server = await startServer(settings)
  try {
    const { send } = createApiClient(server.url, await signIn(server.url, 'provider-user'))
    const accounts = await send<Account[]>('GET', '/Accounts')
    const service_provider_sid = accounts[0]?.service_provider_sid ?? ''
    const provider = `/ServiceProviders/${service_provider_sid}`
    const applications = await send<Application[]>('GET', `${provider}/Applications`)
    const carriers = await send<{ voip_carrier_sid: string }[]>('GET', `${provider}/VoipCarriers`)
    const routings = await send<{ lcr_sid: string }[]>('GET', '/Lcrs')
    expect([accounts, applications, carriers, routings].map(({ length }) => length > 0)).toEqual(
      Array.from({ length: 4 }, () => true),
    )
    const errors: [string, Record<string, string>][] = []
    for (const account of accounts)
      errors.push([account.name, getFieldErrors(accountValues, toAccountValues({ account, limits: [] }))])
    for (const application of applications)
      errors.push([application.name, getFieldErrors(applicationValues, toApplicationValues(application))])
    for (const { voip_carrier_sid } of carriers) {
      const carrier = await send<WholeCarrier>('GET', `/patchbay/carriers/${voip_carrier_sid}`)
      errors.push([carrier.carrier.name, getFieldErrors(carrierValues, toCarrierValues(carrier))])
    }
    for (const { lcr_sid } of routings) {
      const routing = await send<Parameters<typeof toLcrValues>[0]>('GET', `/patchbay/lcrs/${lcr_sid}`)
      errors.push([routing.name ?? lcr_sid, getFieldErrors(lcrValues, toLcrValues(routing))])
    }
    expect(errors.filter(([, fields]) => Object.keys(fields).length > 0)).toEqual([])

    const { attention } = await send<Overview>('GET', `/patchbay/service-providers/${service_provider_sid}/overview`)
    expect(attention.find(({ kind }) => kind === 'speech_missing')).toMatchObject({
      count: 1,
      records: [{ name: 'Appointment line' }],
    })
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
