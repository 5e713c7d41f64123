import { randomUUID } from 'node:crypto'
import type { WriteTransaction } from '../database/write-transaction.ts'
import type { Encryption } from '../lib/encryption.ts'
import { applicationNames } from './names.ts'

/** Services that the provider has credentials of. */
const configured = {
  speech_synthesis_vendor: 'microsoft',
  speech_synthesis_language: 'en-GB',
  speech_synthesis_voice: 'en-GB-SoniaNeural',
  speech_recognizer_vendor: 'deepgram',
  speech_recognizer_language: 'en-GB',
} as const

/** Speech settings, assigned to the applications in rotation. */
const speech = [
  {
    ...configured,
    use_for_fallback_speech: 1,
    fallback_speech_synthesis_vendor: 'deepgram',
    fallback_speech_synthesis_language: 'en',
    fallback_speech_synthesis_voice: 'aura-asteria-en',
    fallback_speech_recognizer_vendor: 'microsoft',
    fallback_speech_recognizer_language: 'en-GB',
  },
  // A fault to find: the provider has no credentials of this service.
  { ...configured, speech_synthesis_vendor: 'aws', speech_synthesis_voice: 'Amy' },
  {
    ...configured,
    app_json: JSON.stringify([
      { verb: 'say', text: 'We are closed. Leave a message after the tone.' },
      { verb: 'listen', url: 'wss://apps.example.com/voicemail' },
    ]),
  },
  {
    ...configured,
    speech_synthesis_vendor: 'elevenlabs',
    speech_synthesis_language: '',
    speech_synthesis_voice: '21m00Tcm4TlvDq8ikWAM',
  },
] as const

/** Creates the applications of an account, with webhooks and environment variables. */
export const fillApplications = async (
  { trx }: Pick<WriteTransaction, 'trx'>,
  encryption: Encryption,
  { account_sid, name: company }: { account_sid: string; name: string },
  position: number,
) => {
  const names = position === 0 ? applicationNames : applicationNames.slice(0, 1)
  const applications = names.map((name, turn) => {
    const hook = (path: string) => ({
      webhook_sid: randomUUID(),
      url: turn % 2 === 0 ? `wss://apps.example.com/${position}/${turn}` : `https://apps.example.com/${path}`,
      method: turn % 2 === 0 ? ('GET' as const) : ('POST' as const),
    })
    return { name, hooks: [hook('call'), hook('status')] as const, speech: speech[turn % speech.length] }
  })
  await trx
    .insertInto('webhooks')
    .values(applications.flatMap(({ hooks }) => hooks))
    .execute()
  const rows = applications.map(({ name, hooks: [call, status], speech: speechSettings }) => ({
    application_sid: randomUUID(),
    account_sid,
    name,
    call_hook_sid: call.webhook_sid,
    call_status_hook_sid: status.webhook_sid,
    env_vars: encryption.encrypt(JSON.stringify({ GREETING: `Welcome to ${company}`, RETRIES: 3 })),
    ...speechSettings,
  }))
  // The rows are inserted one by one because they have different columns.
  for (const row of rows) await trx.insertInto('applications').values(row).execute()
  return rows
}
