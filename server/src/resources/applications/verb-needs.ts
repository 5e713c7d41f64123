import { parseVerb, type VerbPath } from '@patchbay/rules/webhooks/verbs'

/** Finds out what verbs need from the account that executes them. */

export type SpeechUse = 'tts' | 'stt'

/** A speech vendor, and the label that selects one of its services. */
export interface SpeechChoice {
  vendor: string
  label: string | null
}

export type VerbNeed = { path: VerbPath } & (
  | { kind: 'speech'; use: SpeechUse; choice: SpeechChoice }
  | { kind: 'carrier' }
  | { kind: 'trunk'; name: string }
  | { kind: 'siprec server' }
  | { kind: 'recording storage' }
)

/** The speech settings that apply to verbs without their own. */
export type SpeechDefaults = Readonly<Record<SpeechUse, SpeechChoice>>

type Members = Readonly<Record<string, unknown>>

const toMembers = (value: unknown): Members => (typeof value === 'object' && value !== null ? { ...value } : {})

/** Returns the vendor and label that `synthesizer` or `recognizer` choose. The vendor `default` means the defaults. */
const choose = (settings: unknown, defaults: SpeechChoice): SpeechChoice => {
  const { vendor, label } = toMembers(settings)
  if (typeof vendor !== 'string' || vendor === 'default') return defaults
  return { vendor, label: typeof label === 'string' && label !== 'default' ? label : null }
}

const includesSpeech = (input: unknown): boolean => Array.isArray(input) && input.includes('speech')

const findRecordingNeed = (path: VerbPath, record: unknown): VerbNeed[] => {
  const { action, type, siprecServerURL } = toMembers(record)
  if (action !== 'startCallRecording') return []
  if (type === 'cloud') return [{ path: [...path, 'record'], kind: 'recording storage' }]
  return siprecServerURL === undefined ? [{ path: [...path, 'record'], kind: 'siprec server' }] : []
}

const findTargetNeeds = (path: VerbPath, target: unknown): VerbNeed[] =>
  (Array.isArray(target) ? target : []).flatMap((each: unknown, index): VerbNeed[] => {
    const { type, trunk } = toMembers(each)
    const at = [...path, 'target', index]
    if (type !== 'phone') return []
    return typeof trunk === 'string' ? [{ path: at, kind: 'trunk', name: trunk }] : [{ path: at, kind: 'carrier' }]
  })

/** Returns the needs of one verb, including those of verbs within it. */
const findNeeds = (name: string, members: Members, path: VerbPath, defaults: SpeechDefaults): VerbNeed[] => {
  const speech = (use: SpeechUse, at: VerbPath, settings: unknown): VerbNeed => ({
    path: at,
    kind: 'speech',
    use,
    choice: choose(settings, defaults[use]),
  })
  const within = (part: string): VerbNeed[] =>
    members[part] === undefined ? [] : findNeeds(part, toMembers(members[part]), [...path, part], defaults)
  switch (name) {
    case 'say':
      return [speech('tts', path, members['synthesizer'])]
    case 'transcribe':
      return [speech('stt', path, members['recognizer'])]
    case 'gather':
      return [
        ...(includesSpeech(members['input']) ? [speech('stt', path, members['recognizer'])] : []),
        ...within('say'),
      ]
    case 'dial':
      return [...findTargetNeeds(path, members['target']), ...within('transcribe')]
    case 'config': {
      const { enable, input } = toMembers(members['bargeIn'])
      return [
        ...(enable === true && includesSpeech(input)
          ? [speech('stt', [...path, 'bargeIn'], members['recognizer'])]
          : []),
        ...findRecordingNeed(path, members['record']),
      ]
    }
    default:
      return []
  }
}

/**
 * Returns what valid verbs need, in their order. `config` changes the speech settings of the verbs that follow. The
 * verbs that later webhooks return are not known.
 */
export const findVerbNeeds = (verbs: readonly unknown[], defaults: SpeechDefaults): VerbNeed[] => {
  let current = defaults
  return verbs.flatMap((element, index) => {
    const verb = typeof element === 'object' && element !== null ? parseVerb({ ...element }) : undefined
    if (verb === undefined) return []
    const members = toMembers(verb.data)
    if (verb.name === 'config')
      current = { tts: choose(members['synthesizer'], current.tts), stt: choose(members['recognizer'], current.stt) }
    return findNeeds(verb.name, members, [index, ...verb.within], current)
  })
}
