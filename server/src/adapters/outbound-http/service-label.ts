import { getErrorCode } from '../../lib/error-code.ts'
import { AddressNotAllowedError, HostUnavailableError } from './ssrf-guard.ts'

/** Labels of outgoing requests for metrics. Tenants choose the hosts, so a label is one of a fixed list. */

/** Services by the domains of their hosts. */
const servicesByDomain: Readonly<Record<string, string>> = {
  'amazonaws.com': 'aws',
  'api.dnsmadeeasy.com': 'dns_made_easy',
  'assemblyai.com': 'assemblyai',
  'cartesia.ai': 'cartesia',
  'core.windows.net': 'azure_storage',
  'deepgram.com': 'deepgram',
  'elevenlabs.io': 'elevenlabs',
  'github.com': 'github',
  'gladia.io': 'gladia',
  'google.com': 'google',
  'googleapis.com': 'google',
  'houndify.com': 'houndify',
  'ibm.com': 'ibm',
  'inworld.ai': 'inworld',
  'microsoft.com': 'microsoft',
  'nuance.com': 'nuance',
  'openai.com': 'openai',
  'pagerduty.com': 'pagerduty',
  'play.ht': 'playht',
  'resemble.ai': 'resemble',
  'rime.ai': 'rimelabs',
  'slack.com': 'slack',
  'soniox.com': 'soniox',
  'speechmatics.com': 'speechmatics',
  'stripe.com': 'stripe',
  'verbio.com': 'verbio',
  'voxist.com': 'voxist',
  'wellsaidlabs.com': 'wellsaid',
}

/** Returns the service that a host belongs to, or `other`. */
export const getServiceLabel = (hostname: string): string => {
  const labels = hostname.toLowerCase().split('.').slice(-3)
  while (labels.length > 1) {
    const domain = labels.join('.')
    if (Object.hasOwn(servicesByDomain, domain)) return servicesByDomain[domain] ?? 'other'
    labels.shift()
  }
  return 'other'
}

/** Returns the class of a status, such as `2xx`. */
export const getStatusClass = (status: number): string =>
  status >= 100 && status <= 599 ? `${Math.trunc(status / 100)}xx` : 'other'

/** Returns why a request got no response: `blocked`, `timeout`, `aborted`, `unreachable`, or `failed`. */
export const getFailureLabel = (error: unknown): string => {
  if (error instanceof AddressNotAllowedError) return 'blocked'
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  if (error instanceof Error && error.name === 'AbortError') return 'aborted'
  const isUnreachable = error instanceof HostUnavailableError || /^E[A-Z]+$/.test(getErrorCode(error))
  return isUnreachable ? 'unreachable' : 'failed'
}
