import { createToaster } from '../ui/overlay/toast.tsx'

/** The toasts of the console. Screens, guards, and `useAction` add to them. */
export const toaster = createToaster()
