import { z } from 'zod'
import type { OutgoingNetwork } from '../option-types.ts'
import { baseAddress, networkList, onOff, splitList, type Values } from './schemas.ts'

/** The settings of outgoing requests. */

const parseAddressList = (list: string): Record<string, string> =>
  Object.fromEntries(splitList(list).map((item) => [item.split('=')[0] ?? '', item.split('=').slice(1).join('=')]))

const isVendorAddress = ([host, origin]: [string, string]): boolean =>
  /^(?:\*\.)?[a-z0-9.-]+$/.test(host) && /^https?:$/.test(URL.parse(origin)?.protocol ?? '')

export const outgoingVariables = {
  PRIVATE_NETWORKS: networkList
    .prefault('')
    .describe(
      'Private networks that tenants can name for storages, webhooks, speech services, and the ' +
        'connection checks of SIP gateways, such as `10.0.0.0/8,192.168.1.10/32`. Without it no tenant ' +
        'can make the server connect to addresses behind its firewall',
    ),
  VENDOR_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => parseAddressList(list))
    .refine((addresses) => Object.entries(addresses).every(isVendorAddress), {
      error: 'must be host=origin, such as api.deepgram.com=http://127.0.0.1:9000, separated by commas',
    })
    .describe(
      'Origins that replace the hosts of speech vendors, such as a gateway: ' +
        '`api.deepgram.com=https://gateway.example,*.tts.speech.microsoft.com=https://gateway.example`. ' +
        'The original host is in the `Host` header',
    ),
  AWS_IDENTITY_FOR_SPEECH: onOff
    .default(false)
    .describe(
      "Switch: AWS speech services without an access key use the server's AWS identity, directly or to " +
        'assume their role. The external ID of a role is the SID of the account, or of the service ' +
        'provider for services that its accounts share',
    ),
  PAGERDUTY_EVENTS_URL: baseAddress('https://events.pagerduty.com').describe(
    "Address of PagerDuty's Events API. In the EU region: `https://events.eu.pagerduty.com`",
  ),
}

type OutgoingEnvironment = Values<typeof outgoingVariables>

const getOutgoingNetwork = (env: OutgoingEnvironment): OutgoingNetwork => ({
  privateNetworks: env.PRIVATE_NETWORKS,
  vendorAddresses: env.VENDOR_ADDRESSES,
})

export const getOutgoingSettings = (env: OutgoingEnvironment) => ({
  /** Rules for outgoing requests: private networks that may be called, and replacements for vendors' addresses. */
  outgoing: getOutgoingNetwork(env),
  /** Whether AWS speech services may use the server's own identity, directly or to assume a role. */
  awsIdentityForSpeech: env.AWS_IDENTITY_FOR_SPEECH,
  /** Base URL of PagerDuty's Events API. */
  pagerDutyUrl: env.PAGERDUTY_EVENTS_URL,
})
