/** Whether ids and terms of the API are shown, which editors do not need; kept in this browser. */
import { signal } from "@preact/signals";

const KEY = "galley developer details";

function isStored(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

export const developerDetails = signal(isStored());

export function setDeveloperDetails(isOn: boolean): void {
  developerDetails.value = isOn;
  try {
    localStorage.setItem(KEY, isOn ? "on" : "off");
  } catch {
    // a full storage: until the page is loaded again
  }
}
