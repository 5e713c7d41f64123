import { z } from 'zod'
import { onOff, splitList, type Values } from './schemas.ts'

/** The settings of the features that the console offers. */

/** Maximum number of addresses of the SBC. Browsers try them one after the other. */
const maxSbcUrls = 8

const isWebSocketUrl = (url: string): boolean => URL.canParse(url) && /^wss?:\/\/[^\s;,'"?#@]+$/.test(url)

export const consoleVariables = {
  ACCOUNT_LIMITS: onOff
    .default(false)
    .describe('The console offers limits of minutes and of licensed calls and minutes'),
  DISABLE_ADDITIONAL_SPEECH_VENDORS: onOff.default(false).describe('The console does not offer Speechmatics'),
  DISABLE_CALL_RECORDING: onOff
    .default(false)
    .describe(
      'The console does not offer call recording. Recordings that exist can still be played, ' +
        'downloaded, and deleted; accounts and applications that record continue until a program changes ' +
        'them',
    ),
  DISABLE_CUSTOM_SPEECH: onOff
    .default(false)
    .describe(
      'The console does not offer custom speech vendors, and the API rejects new ones (400). Those that ' +
        'exist keep working',
    ),
  DISABLE_DEFAULT_TRUNK_ROUTING: onOff
    .default(false)
    .describe('Only administrators can set the default application of a carrier'),
  DISABLE_INITIAL_APPLICATION: onOff
    .default(false)
    .describe('The console does not offer verbs that replace the first response of a webhook'),
  DISABLE_JAEGER_TRACING: onOff
    .default(false)
    .describe(
      'The console shows no traces, no log lines, and no conversations that contain a trace. ' +
        'Transcripts and latencies of recordings remain',
    ),
  DISABLE_LCR: onOff
    .default(false)
    .describe('The menu has no outbound call routing. Its screens still open by their URL'),
  PHONE_SBC_URLS: z
    .string()
    .default('')
    .transform(splitList)
    .refine((urls) => urls.length <= maxSbcUrls && urls.every(isWebSocketUrl), {
      error: `must be at most ${maxSbcUrls} addresses such as wss://sip.example.com:8443, separated by commas`,
    })
    .describe(
      'WebSocket addresses of the SBC, such as `wss://sip.example.com:8443`. With it, users call applications from ' +
        'the console ([how to](../how-to/call-an-application-from-the-browser.md)), and its pages can use the ' +
        'microphone. Browsers try several addresses, separated by commas, in this order',
    ),
}

export const getConsoleSettings = (env: Values<typeof consoleVariables>) => ({
  /** Whether the console offers limits for minutes and licenses. */
  accountLimits: env.ACCOUNT_LIMITS,
  /** Whether users can add custom speech services, and vendors that not every jambonz installation supports. */
  customSpeech: !env.DISABLE_CUSTOM_SPEECH,
  additionalSpeechVendors: !env.DISABLE_ADDITIONAL_SPEECH_VENDORS,
  /** Whether the console offers call recording. */
  callRecording: !env.DISABLE_CALL_RECORDING,
  /** Whether all users can set the default application of a carrier, or only admins. */
  defaultTrunkRouting: !env.DISABLE_DEFAULT_TRUNK_ROUTING,
  /** Whether the console offers static verbs that replace the calling webhook's first response. */
  initialApplication: !env.DISABLE_INITIAL_APPLICATION,
  /** Whether the console shows call traces. */
  tracing: !env.DISABLE_JAEGER_TRACING,
  /** Whether the console offers outbound routing. */
  outboundRouting: !env.DISABLE_LCR,
  /** WebSocket addresses of the SBC for calls from the browser. Empty if the console has no phone. */
  phoneSbcUrls: env.PHONE_SBC_URLS,
})
