import { Users } from 'lucide-react'
import { config } from '../api/configuration.ts'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'
import { parseUserSearch, rememberedUsers } from '../screens/users/search.ts'

export const userList = defineScreen({
  path: '/internal/users',
  title: 'Users',
  load: () => import('../screens/users/list.tsx'),
  search: parseUserSearch,
  remembered: rememberedUsers,
  // Accounts of hosted installations are of one person each; the screens open by their address all the same.
  menu: { group: 'general', icon: Users, params: () => (config().hosting ? undefined : {}) },
  key: 'u',
  records: () => import('../screens/users/records.ts'),
  pieces: [searchSelect],
})

export const addUser = defineScreen({
  path: '/internal/users/add',
  title: 'Add a user',
  load: () => import('../screens/users/add.tsx'),
  under: userList,
  changes: true,
})

export const editUser = defineScreen({
  path: '/internal/users/$user_sid/edit',
  title: 'Edit user',
  load: () => import('../screens/users/edit.tsx'),
  search: tabSearch,
  under: userList,
})

export const userScreens = [userList, addUser, editUser]
