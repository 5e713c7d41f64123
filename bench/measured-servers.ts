import { accountName } from '@patchbay/server/demo/names'
import { ask, generateLoad, type Load, type Measured } from './harness.ts'

/** Servers that are measured next to each other: builds of Patchbay, and running servers with the same API. */

export interface MeasuredServer {
  /** Name in the output. */
  name: string
  /** URL without the prefix of the API. */
  url: string
  /** Session token or API key. */
  token: string
  /** Process ID on this machine. Without it, the CPU time is unknown. */
  pid: number | undefined
  /** Process ID of its database, which can be that of another server too. */
  databasePid: number | undefined
}

const toPid = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

/**
 * Returns a running server from the environment variables `<prefix>_URL`, `_TOKEN`, `_PID`, and `_DATABASE_PID`, or
 * undefined if there is no URL.
 */
export const readMeasuredServer = (prefix: 'BENCH' | 'BENCH_OTHER'): MeasuredServer | undefined => {
  const read = (member: string) => process.env[`${prefix}_${member}`] || undefined
  const url = read('URL')?.replace(/\/+$/, '')
  if (url === undefined) return undefined
  const [pid, databasePid] = [toPid(read('PID')), toPid(read('DATABASE_PID'))]
  return { name: url, url, token: read('TOKEN') ?? '', pid, databasePid }
}

/** SIDs for the paths of requests. */
export interface KnownRecords {
  account: string
  provider: string
  carrier: string
  application: string
}

/**
 * Finds records on a server whose data is not known, so that several servers get the same requests. Prefers the first
 * account of demo data.
 * @throws Error if the caller has no account, or the account no application
 */
export const findRecords = async ({ url, token }: MeasuredServer): Promise<KnownRecords> => {
  const read = <T>(path: string) => ask<T>(url, token, path)
  const accounts = await read<{ account_sid: string; name: string; service_provider_sid: string }[]>('/Accounts')
  const account = accounts.find(({ name }) => name === accountName(0)) ?? accounts[0]
  if (account === undefined) throw new Error(`${url}: the token can read no accounts`)
  const { account_sid, service_provider_sid: provider } = account
  const applications = await read<{ application_sid: string }[]>(`/Accounts/${account_sid}/Applications`)
  const [application] = applications
  if (application === undefined) throw new Error(`${url}: the account ${account_sid} has no applications`)
  const carriers = await read<{ voip_carrier_sid: string }[]>(`/ServiceProviders/${provider}/VoipCarriers`)
  const [carrier] = carriers
  if (carrier === undefined) throw new Error(`${url}: the provider ${provider} has no carriers`)
  const { application_sid } = application
  return { account: account_sid, provider, carrier: carrier.voip_carrier_sid, application: application_sid }
}

/** Adds applications to an account. Returns the SID of the last one. */
export const addApplications = async (
  { url, token }: Pick<MeasuredServer, 'url' | 'token'>,
  account_sid: string,
  count: number,
): Promise<string> => {
  const hook = { url: 'https://hooks.example.com/call', method: 'POST' }
  const hooks = { call_hook: hook, call_status_hook: hook }
  let last = ''
  for (let number = 0; number < count; number += 1) {
    const application = { account_sid, name: `Line ${number}`, ...hooks, env_vars: { GREETING: 'Welcome', RETRIES: 3 } }
    last = (await ask<{ sid: string }>(url, token, '/Applications', application)).sid
  }
  return last
}

export interface ServerLoad extends Measured {
  /** CPU microseconds of the server and of its database per request, or undefined without a process ID. */
  serverCpu: number | undefined
  databaseCpu: number | undefined
}

/** Sends requests for a path below `/v1` to a server. */
export const loadServer = async (
  { url, token, pid, databasePid }: MeasuredServer,
  path: string,
  load: Omit<Load, 'url' | 'token'> = {},
): Promise<ServerLoad> => {
  const pids = [pid, databasePid].filter((one) => one !== undefined)
  const measured = await generateLoad({ ...load, url: `${url}/v1${path}`, token }, pids)
  const getCpu = (one: number | undefined) => (one === undefined ? undefined : measured.cpuByProcess[pids.indexOf(one)])
  return { ...measured, serverCpu: getCpu(pid), databaseCpu: getCpu(databasePid) }
}

/** Returns a number without decimals, or a dash if it is unknown. */
export const formatCount = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(0))
