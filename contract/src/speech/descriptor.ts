/** What a vendor of speech is, as data (api/3-speech.md §2): forms, validation, masks, updates and docs follow from it. */

export type Use = 'tts' | 'stt'

export interface Option {
  value: string
  name: string
}

/**
 * What has to hold: of the uses (`tts`, `stt`), of the answers to questions and of fields, each by its name. `true` and
 * `false` ask whether it is on or filled, a text what it says. All have to hold; of a list, all of one item. Only what
 * stands before in the vendor's parts may be named.
 */
export type Condition = Facts | readonly Facts[]
export type Facts = Readonly<Record<string, boolean | string>>

/** As it is stored, decrypted. */
export type Stored = Readonly<Record<string, unknown>>

interface Part {
  name: string
  label: string
  hint?: string
  /** when it is asked for; what is not asked for is cleared */
  when?: Condition
  /** stays as it was when the credential was added */
  locked?: true
  /** taken on the wire, and not asked for by the form */
  unasked?: true
}

/** Asked by the form alone: which fields are wanted follows from the answer. */
export interface Question extends Part {
  kind: 'question'
  /** without any it is answered by yes or no */
  answers?: readonly Option[]
  /** the answer, as what is stored tells it */
  answered(stored: Stored): string | boolean
  /** the answer of a new credential, where it is not that of one of which nothing is stored */
  start?: string
}

interface Field extends Part {
  /** may not be empty in the form while it is asked for */
  required?: true | Condition
  /** may not be empty on the wire, whoever sends it */
  demanded?: true | Condition
  /** what the wire says of one that is missing, where it does not say `invalid {vendor} speech credential: …` */
  missing?: string
  /** a change that does not name it keeps it; without this it is dropped */
  kept?: true
  /** an empty one is not stored at all */
  sparse?: true
}

/** What a typed text has to look like. */
export type Shape = 'url' | 'websocket' | 'host' | 'host-port'

export interface TextField extends Field {
  kind: 'text'
  shape?: Shape
  placeholder?: string
}

/** Never shown again: the first six characters, and a mask. */
export interface SecretField extends Field {
  kind: 'secret'
}

export interface FlagField extends Field {
  kind: 'flag'
}

/** A flag that follows from the other fields. */
export interface DerivedField extends Omit<Field, 'label'> {
  kind: 'derived'
  on: Condition
}

export interface ChoiceField extends Field {
  kind: 'choice'
  options: readonly Option[]
  /** chosen at first; none: nothing is */
  start?: string
}

/** One of the vendor's models, asked for at the server. */
export interface ModelField extends Field {
  kind: 'model'
  of: 'models' | 'sttModels'
}

/** JSON of a file, which is what is stored as a whole: the other fields are members of it. */
export interface FileField extends Field {
  kind: 'file'
  /** it is refused without these */
  members: readonly string[]
  /** what of it is never shown again */
  masked: string
  /** what the wire says of one that is no such file, and of a stored one when it is tested */
  invalid: string
  untestable: string
}

/** Whatever else the vendor takes, as JSON in text. */
export interface OptionsField extends Field {
  kind: 'options'
  defaults: object
  /** the vendor's own words on them */
  docs: string
}

export type StoredField =
  | TextField
  | SecretField
  | FlagField
  | DerivedField
  | ChoiceField
  | ModelField
  | FileField
  | OptionsField

/** How applications speak with it, and which choices they start with (api/3-speech.md §3.2). */
export interface Synthesis {
  /** the first that is offered, in place of en-US */
  languages?: readonly string[]
  /** in the first of `languages`; of others it is the first voice */
  voice?: string
  /** models stand for voices, and there is no choice of a language */
  voices?: 'models'
  /** the voices of one language speak all: of this one, or of the first that has any */
  voicesOf?: string
  /** language and voice are typed; or the voice alone, for credentials on which a flag is set */
  typed?: true | { voiceWhen: string }
  /** voices that are kept with the credential are offered before the vendor's */
  customVoices?: true
}

export interface Recognition {
  languages?: readonly string[]
  /** there is no choice of a language */
  language?: 'none'
  typed?: true
}

export interface Vendor {
  /** as it is stored */
  vendor: string
  /** as the wire calls it in refusals, where that is another word */
  called?: string
  tts?: Synthesis
  stt?: Recognition
  /** in the order of the form; stored text is what remains of them */
  parts: readonly (Question | StoredField)[]
  /** its own name is typed, and stored after `custom:` */
  named?: true
  /** Google's: voices that are kept with the credential */
  customVoices?: true
}

/** The key of a vendor that needs nothing else. */
export const apiKey: SecretField = {
  kind: 'secret',
  name: 'api_key',
  label: 'API key',
  required: true,
  demanded: true,
  locked: true,
}

export const options = (defaults: object, docs: string): OptionsField => ({
  kind: 'options',
  name: 'options',
  label: 'Extra options',
  defaults,
  docs,
})

/** The two places where a service can run. */
export const hostingQuestion = (
  answered: (stored: Stored) => 'hosted' | 'on_premise',
  labels = ['Hosted', 'On-premise'],
): Question => ({
  kind: 'question',
  name: 'place',
  label: 'Service',
  answers: [
    { value: 'hosted', name: labels[0] ?? '' },
    { value: 'on_premise', name: labels[1] ?? '' },
  ],
  answered,
})

/** Flags are stored as 0 and 1, true and false, or as text, depending on who stored them. */
export const isOn = (value: unknown): boolean => value === true || Number(value) > 0

export const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== ''
