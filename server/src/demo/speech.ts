import { randomUUID } from 'node:crypto'
import { hourMs } from '@patchbay/contract/shared/durations'
import { sqlTime } from '../database/engine.ts'
import type { DemoContext } from './demo-context.ts'

/**
 * Speech credentials of the demo. They are marked as tested some time ago, so that the server does not test them again.
 */

export const fillSpeech = async (
  { services: { write, database, encryption } }: DemoContext,
  service_provider_sid: string,
  account_sid: string | undefined,
  until: number,
): Promise<void> => {
  const at = (hours: number) => sqlTime(database.engine, new Date(until - hours * hourMs))
  const key = () => randomUUID().replaceAll('-', '')
  const services = [
    { vendor: 'deepgram', stored: { api_key: key(), model_id: 'nova-3' }, tts: 1, stt: 1, label: null },
    { vendor: 'deepgram', stored: { api_key: key() }, tts: 0, stt: 1, label: 'medical', failed: true },
    { vendor: 'elevenlabs', stored: { api_key: key(), model_id: 'eleven_flash_v2_5' }, tts: 1, stt: 0, label: null },
    { vendor: 'microsoft', stored: { api_key: key(), region: 'westeurope' }, tts: 1, stt: 1, label: null },
    {
      vendor: 'custom:lighthouse',
      stored: { custom_stt_url: 'wss://stt.lighthouse.example' },
      tts: 0,
      stt: 1,
      label: null,
    },
  ] as const
  const rows = services.map(({ vendor, stored: fields, tts, stt, label, ...rest }, position) => {
    const ok = 'failed' in rest ? (0 as const) : (1 as const)
    const isTested = !vendor.startsWith('custom:')
    return {
      speech_credential_sid: randomUUID(),
      service_provider_sid,
      account_sid: null,
      vendor,
      label,
      credential: encryption.encrypt(JSON.stringify(fields)),
      use_for_tts: tts,
      use_for_stt: stt,
      ...(isTested ? { last_tested: at(position + 1), tts_tested_ok: tts && ok, stt_tested_ok: stt && ok } : {}),
    }
  })
  const accountRows =
    account_sid === undefined
      ? []
      : rows.slice(0, 1).map((row) => ({ ...row, speech_credential_sid: randomUUID(), account_sid, label: 'own' }))
  await write('patchbay', async ({ trx }) => {
    for (const row of [...rows, ...accountRows]) await trx.insertInto('speech_credentials').values(row).execute()
  })
}
