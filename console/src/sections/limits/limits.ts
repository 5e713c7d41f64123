import { isQuantity, isUnlimited, type LimitCategory } from '@patchbay/contract/limits/quantities'
import { z } from '../../zod.ts'

/** The form values of limits. An empty text means no limit. */

const quantity = z.string().check(
  z.trim(),
  z.refine((text) => text === '' || (/^\d+$/.test(text) && isQuantity(Number(text))), {
    error: 'Enter a whole number of at least 0',
  }),
)

/** For the form of what has limits, as its member `limits`. */
export const limitsValues = z.object({
  voice_call_session: quantity,
  voice_call_session_license: quantity,
  voice_call_minutes: quantity,
  voice_call_minutes_license: quantity,
})
export type LimitsValues = z.infer<typeof limitsValues>
export type EditedLimit = keyof LimitsValues

export const limitLabels: Readonly<Record<EditedLimit, string>> = {
  voice_call_session: 'Max calls',
  voice_call_session_license: 'Licensed calls',
  voice_call_minutes: 'Max minutes',
  voice_call_minutes_license: 'Licensed minutes',
}

export type LimitUnit = 'session' | 'minute'

export const limitsOfUnit: Readonly<Record<LimitUnit, readonly EditedLimit[]>> = {
  session: ['voice_call_session', 'voice_call_session_license'],
  minute: ['voice_call_minutes', 'voice_call_minutes_license'],
}

const edited: readonly EditedLimit[] = [...limitsOfUnit.session, ...limitsOfUnit.minute]

/** The stored limits. */
export type LimitRows = readonly { category: LimitCategory; quantity: number }[]

export const toLimitsValues = (rows: LimitRows): LimitsValues => {
  const getText = (category: EditedLimit) => String(rows.find((row) => row.category === category)?.quantity ?? '')
  return {
    voice_call_session: getText('voice_call_session'),
    voice_call_session_license: getText('voice_call_session_license'),
    voice_call_minutes: getText('voice_call_minutes'),
    voice_call_minutes_license: getText('voice_call_minutes_license'),
  }
}

export const isUnlimitedText = (text: string): boolean => {
  const typed = text.trim()
  return isUnlimited(typed === '' ? null : Number(typed))
}

const toQuantity = (text: string): number | null => (text.trim() === '' ? null : Number(text))

export interface LimitChange {
  category: EditedLimit
  /** Null removes the limit. */
  limit: number | null
}

/** Returns the limits that differ from the stored ones. */
export const changedLimits = (values: LimitsValues, before: LimitsValues): LimitChange[] =>
  edited
    .filter((category) => toQuantity(values[category]) !== toQuantity(before[category]))
    .map((category) => ({ category, limit: toQuantity(values[category]) }))
