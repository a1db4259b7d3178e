/** Marks a place of the page as a favourite, which the navigation lists first. */
import { Icon } from "../widgets/icon.tsx";
import { isFavourite, type Place, toggleFavourite } from "./places.ts";

export function FavouriteButton({ place }: { readonly place: Place }) {
  const isOn = isFavourite(place.href);
  return (
    <button
      type="button"
      class="button-icon favourite"
      aria-pressed={isOn}
      aria-label="Favourite"
      title={isOn ? "Remove from the favourites" : "Add to the favourites"}
      onClick={() => toggleFavourite(place)}
    >
      <Icon name="star" />
    </button>
  );
}
