import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { FormLoading } from '../../form/form-loading.tsx'
import { addRouting, editRouting, ownRouting } from '../../routes/lcr.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { lcrsQuery } from './queries.ts'

/** Redirects to the user's routing, or to the form that creates one. */
export const RedirectToOwnRoutesPage = (): ReactNode => {
  // The cache is bypassed, because the routing may have been created or deleted in the meantime.
  const lcrs = useQuery({ ...lcrsQuery, staleTime: 0, gcTime: 0 })
  const go = useNavigateTo()
  useEffect(() => {
    if (lcrs.data === undefined) return
    const [own] = lcrs.data
    void (own
      ? go({ to: editRouting, params: { lcr_sid: own.lcr_sid }, replace: true })
      : go({ to: addRouting, replace: true }))
  }, [lcrs.data, go])
  return (
    <>
      <ScreenHeader screen={ownRouting} />
      <FormLoading queries={[lcrs]} sections={2} />
    </>
  )
}
