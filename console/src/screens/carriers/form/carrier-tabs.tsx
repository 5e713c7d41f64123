import { useState } from 'react'
import { type FieldErrors, useFormState } from 'react-hook-form'
import { StateBadge } from '../../../ui/badge.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import styles from './carrier-form.module.css'
import type { CarrierValues } from './carrier-form.ts'
import { SmsTab } from './sms-tab.tsx'
import { VoiceTab } from './voice-tab.tsx'

interface CarrierTabsProps {
  service_provider_sid: string
  stored: CarrierValues
}

type TabId = 'sip' | 'smpp'

/** Fields above the tabs. */
const fieldsAboveTabs = new Set(['name', 'description', 'is_active'])

/** Counts the invalid fields of each tab. */
const countInvalidFields = (errors: FieldErrors<CarrierValues>): Record<TabId, number> => {
  const names = Object.keys(errors).filter((name) => !fieldsAboveTabs.has(name))
  const smpp = names.filter((name) => name.startsWith('smpp_')).length
  return { sip: names.length - smpp, smpp }
}

/** Voice and SMS tabs of one form. If a save fails because of fields on the hidden tab only, that tab opens. */
export const CarrierTabs = (props: CarrierTabsProps) => {
  const { errors, isSubmitted, submitCount } = useFormState<CarrierValues>()
  const [selected, setSelected] = useState<TabId>('sip')
  const [seen, setSeen] = useState(submitCount)
  const wrong = countInvalidFields(errors)
  const other: TabId = selected === 'sip' ? 'smpp' : 'sip'
  if (seen !== submitCount) {
    setSeen(submitCount)
    const isAbove = Object.keys(errors).some((name) => fieldsAboveTabs.has(name))
    if (!isAbove && wrong[selected] === 0 && wrong[other] > 0) setSelected(other)
  }

  const badge = (id: TabId) =>
    isSubmitted && wrong[id] > 0 && <StateBadge tone="bad">{`${wrong[id]} to correct`}</StateBadge>
  return (
    <div className={styles['kinds']}>
      <Tabs
        label="Voice and SMS"
        tabs={[
          { id: 'sip', label: 'Voice', badge: badge('sip') },
          { id: 'smpp', label: 'SMS', badge: badge('smpp') },
        ]}
        selected={selected}
        onSelect={setSelected}
      >
        <div data-part="Voice" hidden={selected !== 'sip'}>
          <VoiceTab {...props} />
        </div>
        <div data-part="SMS" hidden={selected !== 'smpp'}>
          <SmsTab {...props} />
        </div>
      </Tabs>
    </div>
  )
}
