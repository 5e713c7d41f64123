import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { booleanInput, flag, name, text } from './api/values.ts'
import { slowGapMs } from './conversations/figures.ts'
import { reviewLimits, slowRange } from './shared/review-limits.ts'

/** Criteria of reviews, and the rules that select calls for review. A Patchbay extension. */

const criterion = z.object({
  /** Identifies the criterion in reviews. */
  name: z.string(),
  /** Tells reviewers what to pay attention to. */
  description: z.string(),
})

const reviewSettings = z.object({
  criteria: z.array(criterion),
  /** Labels that reviewers can choose. They can enter others. */
  labels: z.array(z.string()),
  /** Selects calls with a response after at least this many milliseconds. Null if slow calls are not selected. */
  slow_ms: z.number().int().nullable(),
  /** Selects calls in which the caller or the agent interrupted the other. */
  interrupted: flag,
  /** Selects calls with an error. */
  failed: flag,
  /** Selects this percentage of all calls. */
  random_percent: z.number().int(),
})
export type ReviewSettings = z.infer<typeof reviewSettings>

export const defaultReviewSettings: ReviewSettings = {
  criteria: [],
  labels: [],
  slow_ms: slowGapMs,
  interrupted: 1,
  failed: 1,
  random_percent: 2,
}

const isUnique = (names: readonly string[]): boolean =>
  new Set(names.map((one) => one.trim().toLowerCase())).size === names.length

export const reviewLabel = name(reviewLimits.label).transform((label) => label.trim())

const [minSlowMs, maxSlowMs] = slowRange
const slowError = `must be a whole number from ${minSlowMs} to ${maxSlowMs}, or null`
const randomError = 'must be a whole number from 0 to 100'

const reviewSettingsChange = z
  .strictObject({
    criteria: z
      .array(
        z.strictObject({
          name: name(reviewLimits.criterion).transform((criterionName) => criterionName.trim()),
          description: text(reviewLimits.description),
        }),
        { error: 'must be a list of criteria' },
      )
      .max(reviewLimits.criteria, { error: `must be at most ${reviewLimits.criteria} criteria` })
      .refine((criteria) => isUnique(criteria.map((one) => one.name)), { error: 'must have different names' }),
    labels: z
      .array(reviewLabel, { error: 'must be a list of labels' })
      .max(reviewLimits.suggestedLabels, { error: `must be at most ${reviewLimits.suggestedLabels} labels` })
      .refine(isUnique, { error: 'must be different' }),
    slow_ms: z
      .number({ error: slowError })
      .int({ error: slowError })
      .min(minSlowMs, { error: slowError })
      .max(maxSlowMs, { error: slowError })
      .nullable(),
    interrupted: booleanInput,
    failed: booleanInput,
    random_percent: z
      .number({ error: randomError })
      .int({ error: randomError })
      .min(0, { error: randomError })
      .max(100, { error: randomError }),
  })
  .partial()
export type ReviewSettingsChange = z.output<typeof reviewSettingsChange>

export const reviewSettingEndpoints = endpoints({
  'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings': {
    summary: 'Get the criteria of reviews, and which calls are to be reviewed',
    access: { ...accountAccess, owner: { of: 'service_provider', members: 'read' } },
    responses: { 200: reviewSettings },
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings': {
    summary: 'Update the criteria of reviews, and which calls are to be reviewed; selects calls that end from now on',
    access: providerAccess,
    updates: {
      record: 'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings',
      stored: { table: 'patchbay_review_settings', key: 'service_provider_sid' },
    },
    body: reviewSettingsChange,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const reviewSettingDescriptions: Descriptions = {
  failed: 'Selects calls with an error.',
  interrupted: 'Selects calls in which the caller or the agent interrupted the other.',
  random_percent: 'Selects this percentage of all calls.',
  slow_ms: 'Selects calls with a response after at least this many milliseconds. Null if slow calls are not selected.',
}
