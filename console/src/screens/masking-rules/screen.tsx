import type { StoredMaskingRules } from '@patchbay/contract/masking-rules'
import { uncheckedLabel } from '@patchbay/contract/shared/masking-limits'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { useUpdate } from '../../form/use-edit-form.ts'
import { useFields } from '../../form/use-fields.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { maskingRules } from '../../routes/masking-rules.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviders } from '../../session/current-provider.ts'
import { Banner } from '../../ui/banner.tsx'
import { CheckboxField } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { RelativeTime } from '../../ui/format/time.tsx'
import { PatternFields } from './pattern-fields.tsx'
import { maskingRulesQuery } from './queries.ts'
import { type MaskingRulesValues, maskingRulesErrors, maskingRulesValues, toMaskingRulesValues } from './rules-form.ts'
import { RulesTest } from './rules-test.tsx'

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () => queryClient.ensureQueryData(maskingRulesQuery(await likelyProvider())))

/** The masking rules of the current service provider. */
export const MaskingRulesPage = (): ReactNode => {
  const service_provider_sid = useProviders().current?.service_provider_sid ?? ''
  const rules = useQuery({ ...maskingRulesQuery(service_provider_sid), enabled: service_provider_sid !== '' })
  return (
    <>
      <ScreenHeader
        screen={maskingRules}
        description="Choose what is replaced in transcripts, prompts, and log lines before they are stored, for all accounts of the service provider."
      />
      {rules.data === undefined ? (
        <FormLoading queries={[rules]} sections={3} />
      ) : (
        <RulesForm key={service_provider_sid} service_provider_sid={service_provider_sid} rules={rules.data} />
      )}
    </>
  )
}

const RulesForm = ({ service_provider_sid, rules }: { service_provider_sid: string; rules: StoredMaskingRules }) => {
  const query = maskingRulesQuery(service_provider_sid)
  const stored = useMemo(() => toMaskingRulesValues(rules), [rules])
  const update = useUpdate({
    run: (body: Partial<MaskingRulesValues>, options) =>
      api(
        'PUT /patchbay/ServiceProviders/:service_provider_sid/MaskingRules',
        { params: { service_provider_sid }, body },
        options,
      ),
    done: () => 'Masking updated',
    changes: [query.queryKey],
  })
  const state = useRecordForm({
    schema: maskingRulesValues,
    stored,
    versioned: { record: rules, toValues: toMaskingRulesValues },
    toFieldErrors: maskingRulesErrors,
    save: (values, before, options) => update(changedMembers(values, before), options),
  })
  return (
    <>
      {rules.patterns_exceeded_at !== null && <PatternsExceeded at={rules.patterns_exceeded_at} />}
      <RecordForm label={maskingRules.title} state={state}>
        <GeneralSection />
        <PatternFields />
        <RecordingSection />
        <RulesTest service_provider_sid={service_provider_sid} />
      </RecordForm>
    </>
  )
}

const PatternsExceeded = ({ at }: { at: string }) => (
  <Banner tone="warn" title="Your patterns take too much time">
    Texts that were not searched in time were replaced by {uncheckedLabel}, last <RelativeTime iso={at} />. Simplify or
    remove patterns.
  </Banner>
)

const GeneralSection = () => {
  const field = useFields<MaskingRulesValues>()
  return (
    <FormSection
      title="Numbers"
      description="Changes apply to new data, and to everything that is shown from now on. Captured SIP is not masked."
    >
      <CheckboxField
        label="Mask card numbers"
        hint="Replaces numbers of payment cards, in figures or English words, with [card number]."
        {...field('card_numbers')}
      />
      <CheckboxField
        label="Mask pressed digits"
        hint="Replaces every digit that a caller presses on the keypad."
        {...field('pressed_digits')}
      />
    </FormSection>
  )
}

const RecordingSection = () => {
  const field = useFields<MaskingRulesValues>()
  return (
    <FormSection
      title="Recordings"
      description="Applies to all users, and to all recordings that are played or downloaded. Stored files are not changed."
    >
      <CheckboxField
        label="Mute recordings where the transcript is masked"
        hint="Turns with masked text and speech without a transcript are silent. Recordings without a transcript cannot be played."
        {...field('mute_recordings')}
      />
    </FormSection>
  )
}
