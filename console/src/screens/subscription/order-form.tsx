import type { PricedProduct } from '@patchbay/contract/billing'
import type { Me } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { requiredSession } from '../../session/session.ts'
import { FormFrame } from '../../ui/fields/form-frame.tsx'
import { CancelLink, type OfAccount } from './billing-page.tsx'
import { LinesSection } from './lines-section.tsx'
import type { Lines } from './order-lines.ts'
import { pricesQuery } from './queries.ts'

/** Renders its children with the products on offer after the prices have loaded. */
export const PaletteResults = ({ children }: { children: (offers: readonly PricedProduct[]) => ReactNode }) => {
  const prices = useQuery(pricesQuery)
  return prices.data ? children(prices.data) : <FormLoading queries={[prices]} sections={2} />
}

interface OrderFormProps {
  label: string
  me: Me
  params: OfAccount
  lines: Lines
  error: Error | null
  busy: boolean
  blocked: string | undefined
  saveLabel: string
  status?: string
  extra?: ReactNode
  /** Called only if all capacities are valid. */
  onSubmit: () => void
  children?: ReactNode
}

/** Shows all errors from the first submit on, and focuses the first invalid field. */
const useValidationOnSubmit = () => {
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) document.querySelector<HTMLElement>('main [aria-invalid=true]')?.focus()
  }, [tries])
  return { showsErrors: tries > 0, showErrors: () => setTries((before) => before + 1) }
}

/** Form with the lines of a subscription and the submit bar. */
export const OrderForm = ({ me, params, lines, error, blocked, onSubmit, children, ...bar }: OrderFormProps) => {
  const { showsErrors, showErrors } = useValidationOnSubmit()
  return (
    <FormFrame
      {...bar}
      status={lines.isChanged ? undefined : null}
      onSubmit={() => (lines.isInvalid ? showErrors() : onSubmit())}
      submitError={error === null ? undefined : errorMessage(error)}
      requestId={getRequestId(error)}
      dirty={lines.isChanged}
      blocked={lines.blocked ?? blocked}
      readOnly={requiredSession().actor.is_view_only}
      cancel={<CancelLink params={params} />}
    >
      <LinesSection order={lines} ratio={me.account.device_to_call_ratio ?? 0} showsErrors={showsErrors} />
      {children}
    </FormFrame>
  )
}
