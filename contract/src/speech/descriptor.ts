/**
 * Descriptor of a speech vendor as data (docs/reference/platform-api/speech.md#fields-of-all-vendors). Forms,
 * validation, masking, updates, and documentation are derived from it.
 */

export type Use = 'tts' | 'stt'

export interface Option {
  value: string
  name: string
}

/**
 * A condition on uses (`tts`, `stt`), answers to questions, and fields, each by name. `true` and `false` test whether
 * the value is on or filled; a text must equal the value. All members of an object must hold. A list holds if one of
 * its items holds. A condition can refer only to parts that precede it in the vendor's `parts`.
 */
export type Condition = Facts | readonly Facts[]
export type Facts = Readonly<Record<string, boolean | string>>

/** The stored members, decrypted. */
export type Stored = Readonly<Record<string, unknown>>

interface Part {
  name: string
  label: string
  hint?: string
  /** The form displays the part if the condition holds. Hidden fields are cleared. */
  when?: Condition
  /** Cannot be changed after the credential was created. */
  locked?: true
  /** Accepted by the API, but not part of the form. */
  unasked?: true
}

/** A question in the form, not stored. Conditions of fields refer to its answer. */
export interface Question extends Part {
  kind: 'question'
  /** Without options, the question is a checkbox. */
  answers?: readonly Option[]
  /** Derives the answer from the stored members. */
  answered(stored: Stored): string | boolean
  /** Answer for a new credential, if it differs from the answer for an empty one. */
  start?: string
}

interface Field extends Part {
  /** Required in the form while the field is visible. */
  required?: true | Condition
  /** Required by the API. */
  demanded?: true | Condition
  /** The API's error message if the field is missing. Defaults to `invalid {vendor} speech credential: …`. */
  missing?: string
  /** A change without this member keeps the stored value. Other fields are removed in that case. */
  keptIfAbsent?: true
  /** Empty values are not stored. */
  sparse?: true
}

/** Required format of a text. */
export type Shape = 'url' | 'websocket' | 'host' | 'host-port'

export interface TextField extends Field {
  kind: 'text'
  shape?: Shape
  placeholder?: string
}

/** Displayed only as a mask with the first six characters. */
export interface SecretField extends Field {
  kind: 'secret'
  /** Displayed without any character of the value, because Patchbay does not know what the field means. */
  opaque?: true
}

export interface FlagField extends Field {
  kind: 'flag'
}

/** A flag derived from other fields. */
export interface DerivedField extends Omit<Field, 'label'> {
  kind: 'derived'
  on: Condition
}

export interface ChoiceField extends Field {
  kind: 'choice'
  options: readonly Option[]
  /** Initial value. If absent, nothing is selected. */
  start?: string
}

/** A choice among the vendor's models, which the form loads from the server. */
export interface ModelField extends Field {
  kind: 'model'
  of: 'models' | 'sttModels'
}

/** An uploaded JSON file. The file is stored as the credential, and the other fields are stored as its members. */
export interface FileField extends Field {
  kind: 'file'
  /** Members that the file must contain. */
  members: readonly string[]
  /** Member that is never displayed. */
  masked: string
  /** The API's error messages for an invalid file in a request, and for an invalid stored file during a test. */
  invalid: string
  untestable: string
}

/** Further parameters of the vendor as JSON text. */
export interface OptionsField extends Field {
  kind: 'options'
  defaults: object
  /** URL of the vendor's documentation, if known. */
  docs?: string
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

/**
 * Capabilities and defaults for speech in applications
 * (docs/reference/platform-api/speech.md#vendors-labels-and-defaults).
 */
export interface Synthesis {
  /** Default languages, in the order of preference. Defaults to en-US. */
  languages?: readonly string[]
  /** Default voice of the first language in `languages`. Other languages default to their first voice. */
  voice?: string
  /** The vendor has models instead of languages and voices. */
  voices?: 'models'
  /**
   * The voices of this language are valid for all languages. If empty, the voices of the first language that has any
   * are.
   */
  sharedVoicesFrom?: string
  /** Language and voice are text fields. With `voiceWhen`, only the voice is, for credentials with that flag. */
  typed?: true | { voiceWhen: string }
  /** Custom voices of the credential are listed before the vendor's voices. */
  customVoices?: true
}

export interface Recognition {
  languages?: readonly string[]
  /** Applications cannot select a language. */
  language?: 'none'
  typed?: true
}

export interface Vendor {
  /** Name in the database and in the API. */
  vendor: string
  /** Name in the API's error messages, if different. */
  called?: string
  tts?: Synthesis
  stt?: Recognition
  /** In the order of the form. */
  parts: readonly (Question | StoredField)[]
  /** Custom vendor: the user enters a name, which is stored as `custom:<name>`. */
  named?: true
  /** Google only: the credential can have custom voices. */
  customVoices?: true
  /** Patchbay does not know the vendor: its fields are those of the credential, and all of them may be secret. */
  generic?: true
}

/** API key of a vendor without further settings. */
export const apiKey: SecretField = {
  kind: 'secret',
  name: 'api_key',
  label: 'API key',
  required: true,
  demanded: true,
  locked: true,
}

/**
 * Returns the field for additional settings of a vendor as JSON text.
 * @param defaults initial content of the field
 * @param docs URL of the vendor's documentation, if known
 */
export const options = (defaults: object, docs?: string): OptionsField => ({
  kind: 'options',
  name: 'options',
  label: 'Extra options',
  defaults,
  ...(docs === undefined ? {} : { docs }),
})

/** Asks whether the service is hosted by the vendor or runs on premises. */
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

/** Returns whether a stored flag is on. Components store flags as 0 and 1, true and false, or text. */
export const isOn = (value: unknown): boolean => value === true || Number(value) > 0

/** Returns whether a value is neither missing nor an empty text. */
export const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== ''
