import type { ExpressionBuilder, Selectable } from 'kysely'
import { platformTables } from '../../database/platform-schema.ts'
import type { Tables } from '../../database/tables.ts'

/**
 * The speech settings of an application that was created without any: the defaults of their columns, or null. They do not
 * show that the application uses speech, so a service that they name is not missing.
 */

export const speechColumns = [
  'speech_synthesis_vendor',
  'speech_synthesis_language',
  'speech_synthesis_voice',
  'speech_synthesis_label',
  'speech_recognizer_vendor',
  'speech_recognizer_language',
  'speech_recognizer_label',
] as const

export type SpeechSettings = Pick<Selectable<Tables['applications']>, (typeof speechColumns)[number]>

const getDefault = (column: (typeof speechColumns)[number]): string | null => {
  const value = platformTables.applications.columns[column].default
  return value === undefined ? null : String(value)
}

/** Returns whether all speech settings are those of an application that was created without any. */
export const isDefaultSpeech = (settings: SpeechSettings): boolean =>
  speechColumns.every((column) => settings[column] === null || settings[column] === getDefault(column))

/** Matches the applications for which `isDefaultSpeech` returns true. */
export const hasDefaultSpeech = (where: ExpressionBuilder<Tables, 'applications'>) =>
  where.and(
    speechColumns.map((column) => {
      const name = `applications.${column}` as const
      const value = getDefault(column)
      const isNull = where(name, 'is', null)
      return value === null ? isNull : where.or([isNull, where(name, '=', value)])
    }),
  )
