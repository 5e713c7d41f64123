/** The demo records that the pictures show, found through the API. */

export interface ApiClient {
  send<T>(method: string, path: string, body?: object): Promise<T>
}

export const createApiClient = (url: string, token: string): ApiClient => ({
  send: async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    // The audit trail also shows denied requests.
    if (!response.ok && response.status !== 403) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  },
})

/** The password of the users of the demo data. */
export const demoPassword = 'demo-2026'

/** Signs in a user of the demo data, and returns the token. */
export const signIn = async (url: string, username: string): Promise<string> => {
  const credentials = { username, password: demoPassword }
  const { token } = await createApiClient(url, '').send<{ token: string }>('POST', '/login', credentials)
  return token
}

interface Account {
  account_sid: string
  service_provider_sid: string
  name: string
}

interface Call {
  account_sid: string
  call_sid: string
  answered: boolean
  sip_status: number
  sip_parent_callid: string | null
  recording_url?: string | null
}

/** SIDs by the names that paths of screens have for them, such as `voip_carrier_sid`. */
export type ScreenRecords = Readonly<Record<string, string>>

export interface DemoRecords {
  account_sid: string
  carrier: string
  application: string
  /** SID of the outbound leg of a forwarded call, which the carrier rejected. */
  failed: string
  /** SID of the newest call, which has a trace. */
  traced: string
  recorded: Call
  /** Oldest call with a recording: a caller interrupts a voice agent. */
  conversation: Call
  screens: ScreenRecords
}

/** Returns the first matching element. Throws if the demo data does not contain one. */
const findIn = <T>(elements: readonly T[], what: string, condition: (element: T) => boolean): T => {
  const element = elements.find(condition)
  if (element === undefined) throw new Error(`The demo data has no ${what}.`)
  return element
}

export const findRecords = async ({ send }: ApiClient): Promise<Omit<DemoRecords, 'screens'>> => {
  const get = <T>(path: string) => send<T>('GET', path)
  const accounts = await get<Account[]>('/Accounts')
  const { account_sid, service_provider_sid } = findIn(accounts, 'account', ({ name }) => name === 'Alder Dental')
  const provider = `/ServiceProviders/${service_provider_sid}`
  const carriers = await get<{ voip_carrier_sid: string; name: string }[]>(`${provider}/VoipCarriers`)
  const applications = await get<{ application_sid: string; name: string }[]>(`/Accounts/${account_sid}/Applications`)
  const calls = await get<{ data: Call[] }>(`/Accounts/${account_sid}/RecentCalls?page=1&count=400&days=30`)
  const latest = await get<{ data: Call[] }>(`${provider}/RecentCalls?page=1&count=400&days=1`)
  return {
    account_sid,
    carrier: findIn(carriers, 'carrier', ({ name }) => name === 'Atlantic SIP').voip_carrier_sid,
    application: findIn(applications, 'application', ({ name }) => name === 'Reception').application_sid,
    failed: findIn(
      calls.data,
      'rejected leg',
      ({ sip_parent_callid, sip_status }) => Boolean(sip_parent_callid) && sip_status === 503,
    ).call_sid,
    traced: findIn(calls.data, 'answered call', ({ answered }) => answered).call_sid,
    recorded: findIn(latest.data, 'recording', ({ recording_url }) => Boolean(recording_url)),
    conversation: findIn(latest.data.toReversed(), 'recording', ({ recording_url }) => Boolean(recording_url)),
  }
}
