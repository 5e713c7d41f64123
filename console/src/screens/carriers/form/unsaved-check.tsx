import { use, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { config } from '../../../api/configuration.ts'
import { lazyContent } from '../../../lazy/lazy-content.tsx'
import { Button } from '../../../ui/button.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import type { CarrierValues } from './carrier-form.ts'

/** Loads with the first check. */
const UnsavedResults = lazyContent(
  'unsaved-check',
  async () => (await import('../connection-check/unsaved-results.tsx')).UnsavedResults,
)

/** Checks the connection to the gateways in the form, before they are saved. */
export const UnsavedCheck = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const { getValues, setValue, trigger } = useFormContext<CarrierValues>()
  const [checkCount, setCheckCount] = useState(0)
  const readOnly = use(ReadOnlyFields)
  if (readOnly || !config().extensions.has('unsaved-tests')) return null
  const check = async () => {
    // Rows show the errors of touched fields only.
    for (const [index, { ipv4, port }] of getValues('sip_gateways').entries()) {
      setValue(`sip_gateways.${index}.ipv4`, ipv4, { shouldTouch: true })
      setValue(`sip_gateways.${index}.port`, port, { shouldTouch: true })
    }
    if (await trigger(['sip_gateways', 'outbound_sip_proxy'], { shouldFocus: true })) setCheckCount(checkCount + 1)
  }
  return (
    <>
      <div>
        <Button size="small" onClick={() => void check()}>
          Check before saving
        </Button>
      </div>
      {checkCount > 0 && (
        <UnsavedResults key={checkCount} attempt={checkCount} service_provider_sid={service_provider_sid} />
      )}
    </>
  )
}
