import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { type SavePart, useSaveParts } from '../../form/save-in-parts.ts'
import { type SaveOptions, useRecordForm } from '../../form/use-record-form.tsx'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { reviewSettings } from '../../routes/reviews.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { reviewSettingsQuery } from '../../sections/review-settings-query.ts'
import { useProviders } from '../../session/current-provider.ts'
import { CriteriaFields } from './criteria-fields.tsx'
import { ModelFields } from './model-fields.tsx'
import { reviewModelQuery } from './queries.ts'
import { RuleFields } from './rule-fields.tsx'
import {
  type ReviewRecords,
  type ReviewSettingsValues,
  reviewSettingsErrors,
  reviewSettingsValues,
  splitReviewSettings,
  toModelPayload,
  toReviewSettingsValues,
  toSettingsPayload,
} from './settings-form.ts'

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () => {
    const sid = await likelyProvider()
    await Promise.all([
      queryClient.ensureQueryData(reviewSettingsQuery(sid)),
      queryClient.ensureQueryData(reviewModelQuery(sid)),
    ])
  })

/** The review settings of the current service provider. */
export const ReviewSettingsPage = (): ReactNode => {
  const service_provider_sid = useProviders().current?.service_provider_sid ?? ''
  const enabled = service_provider_sid !== ''
  const settings = useQuery({ ...reviewSettingsQuery(service_provider_sid), enabled })
  const model = useQuery({ ...reviewModelQuery(service_provider_sid), enabled })
  return (
    <>
      <ScreenHeader
        screen={reviewSettings}
        description="Choose which calls are listed for review, and what reviewers rate, for all accounts of the service provider."
      />
      {settings.data === undefined || model.data === undefined ? (
        <FormLoading queries={[settings, model]} sections={3} />
      ) : (
        <SettingsForm
          key={service_provider_sid}
          service_provider_sid={service_provider_sid}
          settings={settings.data}
          model={model.data}
        />
      )}
    </>
  )
}

const toSaveParts = (
  service_provider_sid: string,
  values: ReviewSettingsValues,
  before: ReviewSettingsValues,
  options: SaveOptions,
): SavePart[] => {
  // The cast is safe: the form has these records.
  const base = options.base as ReviewRecords
  const parts = splitReviewSettings(values)
  const params = { service_provider_sid }
  const settings = changedMembers(toSettingsPayload(values), toSettingsPayload(before))
  const model = changedMembers(toModelPayload(values), toModelPayload(before))
  return [
    {
      what: 'rules, criteria, and labels',
      body: settings,
      save: () =>
        api(
          'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings',
          { params, body: settings },
          { base: base.settings },
        ),
      record: 'settings',
      values: parts.settings,
    },
    {
      what: 'language model',
      body: model,
      save: () =>
        api(
          'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewModel',
          { params, body: model },
          { base: base.model },
        ),
      record: 'model',
      values: parts.model,
    },
  ].filter(({ body }) => Object.keys(body).length > 0)
}

interface SettingsFormProps extends ReviewRecords {
  service_provider_sid: string
}

const SettingsForm = ({ service_provider_sid, settings, model }: SettingsFormProps) => {
  const stored = useMemo(() => toReviewSettingsValues({ settings, model }), [settings, model])
  const change = useSaveParts({
    done: 'Review settings updated',
    changes: [
      reviewSettingsQuery(service_provider_sid).queryKey,
      reviewModelQuery(service_provider_sid).queryKey,
      ['call-reviews'],
    ],
  })
  const state = useRecordForm({
    schema: reviewSettingsValues,
    stored,
    versioned: { record: { settings, model }, toValues: toReviewSettingsValues },
    toFieldErrors: reviewSettingsErrors,
    save: (values, before, options) => change(toSaveParts(service_provider_sid, values, before, options)),
  })
  return (
    <RecordForm label={reviewSettings.title} state={state}>
      <RuleFields />
      <CriteriaFields />
      <ModelFields stored={model} />
    </RecordForm>
  )
}
