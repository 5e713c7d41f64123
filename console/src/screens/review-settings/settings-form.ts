import type { ReviewModel } from '@patchbay/contract/review-model'
import type { ReviewSettings } from '@patchbay/contract/review-settings'
import {
  reviewLimits as limits,
  reviewModelLimits as modelLimits,
  slowRange,
} from '@patchbay/contract/shared/review-limits'
import type { ApiError } from '../../api/api-error.ts'
import type { FieldErrors } from '../../form/server-errors.ts'
import { capitalize, formatCount } from '../../ui/format/text.ts'
import { maxText, requiredText, trimmedText, z } from '../../zod.ts'

/** Values of the form of review settings. Numbers are texts, and labels are lines. */

const isWholeNumber = (text: string, min: number, max: number): boolean =>
  /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max

const wholeNumber = (min: number, max: number) =>
  z.string().check(
    z.trim(),
    z.refine((text) => isWholeNumber(text, min, max), {
      error: `Enter a whole number from ${formatCount(min)} to ${formatCount(max)}`,
    }),
  )

const [minSlowMs, maxSlowMs] = slowRange

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const isUnique = (labels: readonly string[]): boolean =>
  new Set(labels.map((label) => label.toLowerCase())).size === labels.length

export const reviewSettingsValues = z
  .object({
    slow: z.boolean(),
    slow_ms: z.string(),
    interrupted: z.boolean(),
    failed: z.boolean(),
    random_percent: wholeNumber(0, 100),
    criteria: z.array(
      z.object({
        name: requiredText(limits.criterion, 'Enter a name'),
        description: trimmedText(limits.description),
      }),
    ),
    labels: z.string().check(
      z.refine((text) => toLines(text).length <= limits.suggestedLabels, {
        error: `Enter at most ${limits.suggestedLabels} labels`,
      }),
      z.refine((text) => toLines(text).every((label) => label.length <= limits.label), {
        error: `Use at most ${limits.label} characters per label`,
      }),
      z.refine((text) => isUnique(toLines(text)), { error: 'Enter each label once' }),
    ),
    is_enabled: z.boolean(),
    url: trimmedText(modelLimits.url),
    model: trimmedText(modelLimits.model),
    api_key: z.string().check(maxText(modelLimits.apiKey)),
    instructions: z.string().check(maxText(modelLimits.instructions)),
    is_automatic: z.boolean(),
    daily_limit: wholeNumber(1, modelLimits.dailyLimit),
  })
  .check((context) => {
    const { slow, slow_ms, criteria, is_enabled, url, model } = context.value
    const report = (message: string, ...path: (string | number)[]) =>
      context.issues.push({ code: 'custom', input: '', path, message })
    if (slow && !isWholeNumber(slow_ms.trim(), minSlowMs, maxSlowMs))
      report(`Enter a whole number from ${minSlowMs} to ${formatCount(maxSlowMs)}`, 'slow_ms')
    for (const [position, { name }] of criteria.entries())
      if (criteria.slice(0, position).some((other) => other.name.trim().toLowerCase() === name.trim().toLowerCase()))
        report('Enter a different name', 'criteria', position, 'name')
    if (!is_enabled) return
    if (url.trim() === '') report('Enter the URL of the API', 'url')
    if (model.trim() === '') report('Enter the name of a model', 'model')
  })
export type ReviewSettingsValues = z.infer<typeof reviewSettingsValues>

const defaultSlowMs = '1500'

/** The records of the form, which are saved separately. */
export interface ReviewRecords {
  settings: ReviewSettings
  model: ReviewModel
}

export const toReviewSettingsValues = ({ settings, model }: ReviewRecords): ReviewSettingsValues => ({
  slow: settings.slow_ms !== null,
  slow_ms: settings.slow_ms === null ? defaultSlowMs : String(settings.slow_ms),
  interrupted: settings.interrupted === 1,
  failed: settings.failed === 1,
  random_percent: String(settings.random_percent),
  criteria: settings.criteria,
  labels: settings.labels.join('\n'),
  is_enabled: model.is_enabled === 1,
  url: model.url,
  model: model.model,
  api_key: model.api_key ?? '',
  instructions: model.instructions,
  is_automatic: model.is_automatic === 1,
  daily_limit: String(model.daily_limit),
})

/** Returns the values by the record in which they are stored. */
export const splitReviewSettings = ({
  is_enabled,
  url,
  model,
  api_key,
  instructions,
  is_automatic,
  daily_limit,
  ...settings
}: ReviewSettingsValues) => ({
  settings,
  model: { is_enabled, url, model, api_key, instructions, is_automatic, daily_limit },
})

/** Returns the body of a request that changes criteria, labels, and rules. */
export const toSettingsPayload = (values: ReviewSettingsValues) => ({
  criteria: values.criteria,
  labels: toLines(values.labels),
  slow_ms: values.slow ? Number(values.slow_ms) : null,
  interrupted: values.interrupted,
  failed: values.failed,
  random_percent: Number(values.random_percent),
})

/** Returns the body of a request that changes the language model. */
export const toModelPayload = (values: ReviewSettingsValues) => ({
  is_enabled: values.is_enabled,
  url: values.url,
  model: values.model,
  api_key: values.api_key === '' ? null : values.api_key,
  instructions: values.instructions,
  is_automatic: values.is_automatic,
  daily_limit: Number(values.daily_limit),
})

const serverFields = ['url', 'model', 'api_key', 'daily_limit', 'slow_ms', 'random_percent', 'labels'] as const

/** Returns the error of the server at its field. Its message begins with the name of the member, which users do not know. */
export const reviewSettingsErrors = ({ field, message, detail }: ApiError): FieldErrors<ReviewSettingsValues> => {
  const name = serverFields.find((one) => one === field)
  if (name === undefined) return {}
  const text = (detail ?? message).replace(`${name} `, '')
  return { [name]: capitalize(text) }
}
