import { useState } from 'react'
import { type FieldErrors, useFormState } from 'react-hook-form'
import { StateBadge } from '../../../ui/badge.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import type { CarrierValues } from './carrier-form.ts'
import styles from './carrier-form.module.css'
import { SmsTab } from './sms-tab.tsx'
import { VoiceTab } from './voice-tab.tsx'

interface CarrierTabsProps {
  service_provider_sid: string
  stored: CarrierValues
}

type TabId = 'sip' | 'smpp'

/** The fields above the tabs. */
const above = new Set(['name', 'description', 'is_active'])

/** How many fields of each tab are wrong. */
const wrongIn = (errors: FieldErrors<CarrierValues>): Record<TabId, number> => {
  const names = Object.keys(errors).filter((name) => !above.has(name))
  const smpp = names.filter((name) => name.startsWith('smpp_')).length
  return { sip: names.length - smpp, smpp }
}

/** Voice and SMS, in one form: what is wrong behind the other tab brings it to the front when a save fails. */
export const CarrierTabs = (props: CarrierTabsProps) => {
  const { errors, isSubmitted, submitCount } = useFormState<CarrierValues>()
  const [shown, setShown] = useState<TabId>('sip')
  const [seen, setSeen] = useState(submitCount)
  const wrong = wrongIn(errors)
  const other: TabId = shown === 'sip' ? 'smpp' : 'sip'
  if (seen !== submitCount) {
    setSeen(submitCount)
    const isAbove = Object.keys(errors).some((name) => above.has(name))
    if (!isAbove && wrong[shown] === 0 && wrong[other] > 0) setShown(other)
  }

  const badge = (id: TabId) =>
    isSubmitted && wrong[id] > 0 && <StateBadge tone="bad">{`${wrong[id]} to correct`}</StateBadge>
  return (
    <Tabs
      label="Voice and SMS"
      tabs={[
        { id: 'sip', label: 'Voice', badge: badge('sip') },
        { id: 'smpp', label: 'SMS', badge: badge('smpp') },
      ]}
      selected={shown}
      onSelect={setShown}
    >
      <div className={styles['tab']} hidden={shown !== 'sip'}>
        <VoiceTab {...props} />
      </div>
      <div className={styles['tab']} hidden={shown !== 'smpp'}>
        <SmsTab {...props} />
      </div>
    </Tabs>
  )
}
