import { z } from 'zod'
import { type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { booleanInput, flag, instant, name } from './api/values.ts'
import { maskingLimits } from './shared/masking-limits.ts'

/**
 * Masking rules of service providers. They apply to the texts of calls before they are stored: transcripts, prompts,
 * messages of models, and log lines. Recordings can be muted where a text was masked. A Patchbay extension.
 */

const pattern = z.object({
  name: z.string(),
  /** A regular expression in the syntax of RE2. */
  expression: z.string(),
  /** Replaces each match, in brackets. */
  replacement: z.string(),
})
export type MaskingPattern = z.infer<typeof pattern>

const maskingRules = z.object({
  card_numbers: flag,
  /** All digits that callers press. */
  pressed_digits: flag,
  patterns: z.array(pattern),
  /** All downloads of recordings, also for playback. */
  mute_recordings: flag,
})
export type MaskingRules = z.infer<typeof maskingRules>

const storedMaskingRules = maskingRules.extend({
  /**
   * When patterns last exceeded their time within the last day, so that texts were replaced as a whole. Null if they did
   * not. Refers to the process that responds.
   */
  patterns_exceeded_at: instant.nullable(),
})
export type StoredMaskingRules = z.infer<typeof storedMaskingRules>

const patternInput = z.strictObject({
  name: name(maskingLimits.name),
  expression: name(maskingLimits.expression),
  replacement: name(maskingLimits.replacement).refine((text) => !/[[\]\p{Cc}]/u.test(text), {
    error: 'must not contain brackets or control characters',
  }),
})

const patternsInput = z
  .array(patternInput, { error: 'must be a list of patterns' })
  .max(maskingLimits.patterns, { error: `must be at most ${maskingLimits.patterns} patterns` })

const members = { card_numbers: booleanInput, pressed_digits: booleanInput, patterns: patternsInput }

const maskingRulesChange = z.strictObject({ ...members, mute_recordings: booleanInput }).partial()
export type MaskingRulesChange = z.output<typeof maskingRulesChange>

const maskingTest = z.strictObject({
  ...members,
  /** Has no effect. Clients can send rules as they are stored. */
  mute_recordings: booleanInput.optional(),
  text: z.string({ error: 'must be text' }).max(maskingLimits.testText, {
    error: `must be at most ${maskingLimits.testText} characters long`,
  }),
})

export const maskingRuleEndpoints = endpoints({
  'GET /patchbay/ServiceProviders/:service_provider_sid/MaskingRules': {
    summary: 'Get what is masked in the texts of calls',
    access: providerAccess,
    responses: { 200: storedMaskingRules },
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/MaskingRules': {
    summary: 'Update what is masked in the texts of calls; applies to data that is received or read from now on',
    access: providerAccess,
    updates: {
      record: 'GET /patchbay/ServiceProviders/:service_provider_sid/MaskingRules',
      stored: { table: 'patchbay_masking_rules', key: 'service_provider_sid' },
    },
    body: maskingRulesChange,
    responses: { 204: null },
  },
  'POST /patchbay/ServiceProviders/:service_provider_sid/MaskingRules/test': {
    summary: 'Mask a text by rules that need not be stored; stores nothing',
    access: { ...providerAccess, allowViewOnly: true },
    body: maskingTest,
    responses: { 200: z.object({ text: z.string() }) },
  },
})

/** Descriptions of fields for the API documentation. */
export const maskingRuleDescriptions: Descriptions = {
  card_numbers: 'Whether card numbers are masked.',
  expression: 'Regular expression in the syntax of RE2. (?i) at its beginning ignores the case.',
  mute_recordings: 'Whether all downloads of recordings are silent where the conversation is masked.',
  patterns: 'Patterns whose matches are masked.',
  patterns_exceeded_at:
    'When this process last replaced texts because the patterns of the provider had used up their time. Null if it never did.',
  pressed_digits: 'Whether all digits that callers press are masked.',
  replacement: 'Text that replaces a match, in brackets.',
}
