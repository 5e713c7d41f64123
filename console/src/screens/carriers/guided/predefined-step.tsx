import { useState } from 'react'
import { connectCarrier } from '../../../routes/carriers.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { PredefinedSection } from '../predefined-section.tsx'

interface PredefinedStepProps {
  service_provider_sid: string
  initialAccount: string
}

/** The second step of a predefined carrier: which one. The next step asks for what the template lacks. */
export const PredefinedStep = ({ service_provider_sid, initialAccount }: PredefinedStepProps) => {
  const [account_sid, setAccount] = useState(initialAccount)
  const [template, setTemplate] = useState('')
  return (
    <>
      <div>
        <ScreenLink to={connectCarrier} search={{}} className={buttonClass('secondary')}>
          Change type
        </ScreenLink>
      </div>
      <PredefinedSection
        service_provider_sid={service_provider_sid}
        account_sid={account_sid}
        onAccountChange={setAccount}
        chosen={template}
        onChoose={setTemplate}
        isGuided
      />
    </>
  )
}
