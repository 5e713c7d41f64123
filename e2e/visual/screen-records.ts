import { type ApiClient, type DemoRecords, demoPassword, type ScreenRecords, signIn } from './records.ts'

export interface ScreenUsers {
  admin: string
  owner: string
  'account-user': string
}

type Row = Readonly<Record<string, string>>

/** Finds a record of the demo for each screen, and creates those that the demo does not have. */
export const prepareScreenRecords = async (
  { send }: ApiClient,
  demo: Omit<DemoRecords, 'screens'>,
): Promise<ScreenRecords> => {
  const { account_sid, carrier, application, traced } = demo
  const account = await send<Row>('GET', `/Accounts/${account_sid}`)
  const { service_provider_sid = '' } = account
  const findFirst = async (path: string, sid: string): Promise<string> => {
    const [first] = await send<Row[]>('GET', path)
    return first?.[sid] ?? ''
  }
  const create = async (path: string, body: object): Promise<string> =>
    (await send<{ sid: string }>('POST', path, body)).sid
  return {
    account_sid,
    service_provider_sid,
    voip_carrier_sid: carrier,
    application_sid: application,
    call_sid: traced,
    phone_number_sid: await findFirst('/PhoneNumbers', 'phone_number_sid'),
    client_sid: await findFirst('/Clients', 'client_sid'),
    lcr_sid: await findFirst('/Lcrs', 'lcr_sid'),
    user_sid: await findFirst('/Users', 'user_sid'),
    speech_credential_sid: await findFirst(
      `/ServiceProviders/${service_provider_sid}/SpeechCredentials`,
      'speech_credential_sid',
    ),
    ms_teams_tenant_sid: await create('/MicrosoftTeamsTenants', {
      service_provider_sid,
      account_sid,
      tenant_fqdn: 'alder.teams.example.com',
    }),
    // The last one, because its confirmation link is created after the response.
    alert_destination_sid: await create('/patchbay/alert-destinations', {
      name: 'On call',
      kind: 'email',
      target: 'operator@example.org',
      account_sid,
    }),
  }
}

const ownerName = 'owner'

/** Creates a provider with one account and nothing else, and a user of it. */
export const createQuietProvider = async ({ send }: ApiClient): Promise<void> => {
  const provider = await send<{ sid: string }>('POST', '/ServiceProviders', { name: 'Quiet Voice' })
  await send('POST', '/Accounts', { name: 'First account', service_provider_sid: provider.sid })
  await send('POST', '/Users', {
    name: ownerName,
    email: 'owner@example.com',
    service_provider_sid: provider.sid,
    initial_password: demoPassword,
    is_active: true,
    force_change: false,
  })
}

/** Signs in the users who open the screens. */
export const signInScreenUsers = async (url: string): Promise<ScreenUsers> => ({
  admin: await signIn(url, 'admin'),
  owner: await signIn(url, ownerName),
  'account-user': await signIn(url, 'account-user'),
})
