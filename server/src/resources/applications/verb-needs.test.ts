import { expect, test } from 'vitest'
import { findVerbNeeds } from './verb-needs.ts'

const defaults = { tts: { vendor: 'google', label: null }, stt: { vendor: 'deepgram', label: 'main' } }
const needs = (...verbs: object[]) => findVerbNeeds(verbs, defaults)

const tts = (path: readonly (string | number)[], vendor = 'google', label: string | null = null) => ({
  path,
  kind: 'speech',
  use: 'tts',
  choice: { vendor, label },
})
const stt = (path: readonly (string | number)[], vendor = 'deepgram', label: string | null = 'main') => ({
  path,
  kind: 'speech',
  use: 'stt',
  choice: { vendor, label },
})

test.each([
  ['speech of the application', [{ verb: 'say', text: 'a' }], [tts([0])]],
  ['both notations', [{ say: { text: 'a' } }], [tts([0, 'say'])]],
  ['a vendor of its own', [{ verb: 'say', synthesizer: { vendor: 'aws', label: 'b' } }], [tts([0], 'aws', 'b')]],
  ['the vendor default', [{ verb: 'say', synthesizer: { vendor: 'default', label: 'x' } }], [tts([0])]],
  ['no speech for digits', [{ verb: 'gather', input: ['digits'] }, { verb: 'gather' }, { verb: 'hangup' }], []],
  [
    'recognition and the prompt of gather',
    [{ verb: 'gather', input: ['digits', 'speech'], say: { text: 'a' } }],
    [stt([0]), tts([0, 'say'])],
  ],
  ['transcription of a dialed call', [{ verb: 'dial', target: [], transcribe: {} }], [stt([0, 'transcribe'])]],
  [
    'settings of config for the verbs that follow',
    [
      { verb: 'say', text: 'a' },
      { verb: 'config', synthesizer: { vendor: 'aws' }, bargeIn: { enable: true, input: ['speech'] } },
      { verb: 'say', text: 'b' },
    ],
    [tts([0]), stt([1, 'bargeIn']), tts([2], 'aws')],
  ],
  [
    'carriers for phone numbers only',
    [
      {
        verb: 'dial',
        target: [{ type: 'user', name: 'a' }, { type: 'phone' }, { type: 'phone', trunk: 'b' }, { type: 'sip' }],
      },
    ],
    [
      { path: [0, 'target', 1], kind: 'carrier' },
      { path: [0, 'target', 2], kind: 'trunk', name: 'b' },
    ],
  ],
  [
    'a place for recordings',
    [
      { verb: 'config', record: { action: 'startCallRecording' } },
      { verb: 'config', record: { action: 'startCallRecording', type: 'cloud' } },
      { verb: 'config', record: { action: 'startCallRecording', siprecServerURL: 'sip:a' } },
      { verb: 'config', record: { action: 'stopCallRecording' } },
    ],
    [
      { path: [0, 'record'], kind: 'siprec server' },
      { path: [1, 'record'], kind: 'recording storage' },
    ],
  ],
])('finds %s', (_what, verbs, expected) => {
  expect(needs(...verbs)).toEqual(expected)
})
