"""The contestants: one file a package, each with its own interface behind the same few questions."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from common.peers.peer import Contestant, Peer, Refused
from common.workload import Data, Workload

#: The contestants in the order of the tables: the class, and what it is called with besides the workload and the data.
#: Packages that know threads get two.
PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "deciduous, 1 thread": ("deciduous_trees:Deciduous", {"threads": 1}),
    "deciduous, 2 threads": ("deciduous_trees:Deciduous", {"threads": 2}),
    "deciduous, 255 bins, 2 threads": ("deciduous_trees:Deciduous", {"threads": 2, "max_bins": 255}),
    "scikit-learn": ("scikit:ScikitLearn", {}),
    "ydf, 2 threads": ("ydf_cart:Ydf", {}),
    "obliquetree": ("oblique:ObliqueTree", {}),
    "lightgbm, 2 threads": ("boosting:LightGBM", {}),
    "xgboost exact, 2 threads": ("boosting:XGBoost", {"method": "exact"}),
    "xgboost hist, 2 threads": ("boosting:XGBoost", {"method": "hist"}),
    "cvdt, 2 threads": ("cross_validated:Cvdt", {}),
    "c50py": ("c50:C50", {}),
    "rpart": ("rpart:Rpart", {}),
    "weka J48": ("weka:J48", {}),
}
OURS, REFERENCE = "deciduous, 1 thread", "scikit-learn"


def peer_class(name: str) -> type[Contestant]:
    """Return the class of a contestant."""
    module, cls = PEERS[name][0].split(":")
    found: type[Contestant] = getattr(import_module(f"common.peers.{module}"), cls)
    return found


def build(name: str, work: Workload, data: Data) -> Peer:
    """Return a contestant that is ready to fit; Refused says why there is none."""
    cls: Any = peer_class(name)
    try:
        peer: Peer = cls(work, data, **PEERS[name][1])
    except ImportError as error:
        raise Refused(f"cannot be imported ({error})") from None
    return peer
